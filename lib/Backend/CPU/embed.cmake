# cmake -DOUTPUT=file -DINPUTS="a;b" -P embed.cmake: the inputs as characters of a C
# array, ending in 0.
set(text "")
foreach(input ${INPUTS})
  file(READ ${input} hex HEX)
  string(APPEND text "${hex}")
endforeach()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${text}")
file(WRITE ${OUTPUT} "${bytes}0x00\n")
