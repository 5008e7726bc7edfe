#!/bin/sh
# Interesting (status 1): the wrong rule is caught in this graph.
fx-opt "$1" --fxgraph-test-wrong-rule -o /dev/null 2>&1 | grep -q swap-sub && exit 1
exit 0
