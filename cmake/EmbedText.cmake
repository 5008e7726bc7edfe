# cmake -DINPUT=file -DOUTPUT=file.inc -P EmbedText.cmake: a text as a C++ string literal.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "R\"fxgraph(${text})fxgraph\"\n")
