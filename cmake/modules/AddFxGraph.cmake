# Wrappers that keep one way of building libraries, tools, tablegen outputs and
# PDLL patterns.
#
# Every library links MLIR through the shared libMLIR.so alone: two copies of
# MLIR in one process (one static, one shared) corrupt type ids without a word.

# Precompiled headers, each made once: FxGraphPCH.h for the project, and
# FxGraphLoweringPCH.h for the libraries that lower to LLVM and NVVM, whose
# dialects are slow to parse.
function(fxgraph_use_pch target header)
  if(NOT FXGRAPH_USE_PCH)
    return()
  endif()
  if(NOT TARGET ${header})
    set(source ${CMAKE_BINARY_DIR}/${header}.cpp)
    file(WRITE ${source} "")
    add_library(${header} OBJECT ${source})
    target_precompile_headers(${header} PRIVATE
      ${PROJECT_SOURCE_DIR}/cmake/${header}.h)
    add_dependencies(${header} fxgraph-headers)
    # The header's time stamp would make every precompiled header unique and
    # defeat ccache.
    target_compile_options(${header} PRIVATE -Xclang -fno-pch-timestamp)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${header})
  target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp)
endfunction()

# add_fxgraph_library(name sources… [LOWERING] [DEPENDS target…] [LINK fxgraph-library…])
# A static library, part of every tool and of the plugin.
function(add_fxgraph_library name)
  cmake_parse_arguments(ARG "LOWERING" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_LOWERING)
    fxgraph_use_pch(${name} FxGraphLoweringPCH)
  else()
    fxgraph_use_pch(${name} FxGraphPCH)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  add_dependencies(${name} fxgraph-headers)
  set_property(GLOBAL APPEND PROPERTY FXGRAPH_LIBRARIES ${name})
endfunction()

# add_fxgraph_tool(name sources… [LINK library…])
function(add_fxgraph_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # -fPIC as in the libraries: a precompiled header serves one code model.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  fxgraph_use_pch(${name} FxGraphPCH)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  if(FXGRAPH_SANITIZE)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp)
  endif()
  add_dependencies(${name} fxgraph-headers)
endfunction()

# fxgraph_tablegen(td output generator-flags…): one generated header in the
# current binary directory.
function(fxgraph_tablegen td output)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${output} ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY FXGRAPH_GENERATED
               ${CMAKE_CURRENT_BINARY_DIR}/${output})
endfunction()

# Ends a directory of generated headers: a target for them (CMake ties custom
# commands to the directory that names them), collected in fxgraph-headers.
function(fxgraph_generated_target name)
  get_property(generated DIRECTORY PROPERTY FXGRAPH_GENERATED)
  add_custom_target(${name} DEPENDS ${generated} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY FXGRAPH_GENERATED_TARGETS ${name})
endfunction()

# The families below include/fxgraph/Transforms and lib/Transforms.
set(FXGRAPH_PASS_FAMILIES Report Driver Normalize Sizes NoOp SplitCat LinearPermute Algebra Quantization ConvBN GroupFusion Freezing Decompose PreDispatch
    JointGraph Attention Matmul PostGrad Mutation Distributed OneDNN UserPatterns)

# add_fxgraph_pass_library(name [LINK library…]): all .cpp files of the current
# directory, one pass each.
function(add_fxgraph_pass_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_fxgraph_library(${name} ${sources}
    LINK FxGraphTransformUtils ${ARG_LINK} DEPENDS ${ARG_DEPENDS})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set_property(GLOBAL APPEND PROPERTY FXGRAPH_PASS_LIBRARIES ${name})
endfunction()

# fxgraph_pdll(output pdll [included…]): PDLL patterns of the current directory as a
# C++ include; it may include others of the directory. mlir-pdll runs in the source tree
# with relative paths, so that the locations in the output do not depend on where the
# project lies.
find_program(FXGRAPH_PDLL mlir-pdll HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
function(fxgraph_pdll output pdll)
  file(RELATIVE_PATH input ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${pdll})
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE included)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${output}
    COMMAND ${FXGRAPH_PDLL} -x=cpp -I include ${input} -o ${CMAKE_CURRENT_BINARY_DIR}/${output}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${pdll} ${included} ${PROJECT_SOURCE_DIR}/include/fxgraph/Transforms/Utils/Constraints.pdll)
  string(MAKE_C_IDENTIFIER ${output} name)
  add_custom_target(fxgraph-pdll-${name} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${output})
  set(FXGRAPH_PDLL_TARGET fxgraph-pdll-${name} PARENT_SCOPE)
endfunction()

# Op groups: Ops<Group>.td below include/fxgraph/Dialect/IR and Ops<Group>.cpp.
set(FXGRAPH_OP_GROUPS Pointwise View SplitCat Contraction ConvNorm Reduction Indexing Structural ControlFlow Collective Packed)

# add_fxgraph_unittest(name sources… [LINK library…]): a gtest program; the name
# ends in Tests, utils/check.sh runs all of that pattern.
function(add_fxgraph_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_fxgraph_tool(${name} ${ARG_UNPARSED_ARGUMENTS} LINK ${ARG_LINK} GTest::gtest GTest::gtest_main)
endfunction()
