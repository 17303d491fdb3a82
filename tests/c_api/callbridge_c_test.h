// A caller of the C API that is compiled as C99.
#ifndef CALLBRIDGE_TESTS_C_API_CALLBRIDGE_C_TEST_H_
#define CALLBRIDGE_TESTS_C_API_CALLBRIDGE_C_TEST_H_

#ifdef __cplusplus
extern "C" {
#endif

// 0, or the number of the step that went wrong.
int CallFromC(void);

#ifdef __cplusplus
}
#endif

#endif  // CALLBRIDGE_TESTS_C_API_CALLBRIDGE_C_TEST_H_
