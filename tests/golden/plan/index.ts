// import { aws_dynamodb as dynamodb } from "aws-cdk-lib"; table is the dynamodb.Table of "sagas"
table.addGlobalSecondaryIndex({
  indexName: "by-type",
  partitionKey: { name: "gsi_pk", type: dynamodb.AttributeType.STRING },
  sortKey: { name: "gsi_sk", type: dynamodb.AttributeType.STRING },
  projectionType: dynamodb.ProjectionType.ALL,
  warmThroughput: { readUnitsPerSecond: 12000, writeUnitsPerSecond: 31000 },
});
