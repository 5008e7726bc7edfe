# compare-pipelines.sh MLIR-OPT PLUGIN FOLDER MODELS: fx-opt against mlir-opt with the plugin.
for model in "$4"/*.mlir; do
  fx-opt "$model" --pass-pipeline='builtin.module(fxgraph-pre-grad,fxgraph-joint-graph,fxgraph-post-grad)' -o "$3/ours.mlir" &&
    "$1" --load-dialect-plugin="$2" "$model" --pass-pipeline='builtin.module(fxgraph-pre-grad,fxgraph-joint-graph,fxgraph-post-grad)' -o "$3/stock.mlir" ||
    { echo "failed: $model"; continue; }
  if cmp -s "$3/ours.mlir" "$3/stock.mlir"; then echo same; else echo "different: $model"; fi
done
