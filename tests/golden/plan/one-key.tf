# Into resource "aws_dynamodb_table" of "t${x}":
attribute {
  name = "a%%{b}"
  type = "S"
}

global_secondary_index {
  name            = "i\"x"
  hash_key        = "a%%{b}"
  projection_type = "ALL"
}
