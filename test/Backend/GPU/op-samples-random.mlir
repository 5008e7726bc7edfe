// A sample of each op that draws random numbers; python/tests/test_gpu_random.py says which.
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator -o %t.1.npz
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --compare=%t.1.npz --rtol=0 --atol=0
// RUN: not fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --seed=1 --compare=%t.1.npz --rtol=0 --atol=0

func.func @rand() -> tensor<4xf32> {
  %0 = fxgraph.rand : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @randn() -> tensor<4xf32> {
  %0 = fxgraph.randn : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @exponential() -> tensor<4xf32> {
  %0 = fxgraph.exponential : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @bernoulli() -> tensor<4xi1> {
  %0 = fxgraph.bernoulli p 0.5 : tensor<4xi1>
  return %0 : tensor<4xi1>
}

func.func @randint() -> tensor<4xi64> {
  %0 = fxgraph.randint to 9 : tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @randperm() -> tensor<4xi64> {
  %0 = fxgraph.randperm : tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @inductor_seed() -> tensor<i64> {
  %0 = fxgraph.inductor_seed : tensor<i64>
  return %0 : tensor<i64>
}

func.func @inductor_seeds() -> tensor<3xi64> {
  %0 = fxgraph.inductor_seeds : tensor<3xi64>
  return %0 : tensor<3xi64>
}

func.func @inductor_random(%s: tensor<i64>) -> tensor<4xf32> {
  %0 = fxgraph.inductor_random "rand" seed %s : tensor<i64>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @inductor_randint(%s: tensor<i64>) -> tensor<4xi64> {
  %0 = fxgraph.inductor_randint from 0 to 3 seed %s : tensor<i64>, tensor<4xi64>
  return %0 : tensor<4xi64>
}
