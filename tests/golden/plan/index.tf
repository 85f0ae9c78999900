# Into resource "aws_dynamodb_table" of "sagas":
attribute {
  name = "gsi_pk"
  type = "S"
}

attribute {
  name = "gsi_sk"
  type = "S"
}

global_secondary_index {
  name            = "by-type"
  hash_key        = "gsi_pk"
  range_key       = "gsi_sk"
  projection_type = "ALL"

  warm_throughput {
    read_units_per_second  = 12000
    write_units_per_second = 31000
  }
}
