"""XLA's builder as jaxlib had it: xla_client.ops, XlaBuilder, XlaOp, XlaComputation."""
