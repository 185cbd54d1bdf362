"""Programs as native code through LLVM: SIMD lanes over the batch, no compiler needed."""
