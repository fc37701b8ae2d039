/*
 * A compiled function of any robot as a Python callable: checks, and one call.
 *
 * Clean input goes straight to C: exact numpy arrays of native, aligned, contiguous float64, all
 * of shape (n,) or all of shape (N, n). For anything else, and for numbers that are not finite,
 * the answer is None: the caller then takes the careful way, which converts or explains.
 */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <stddef.h>
#include <numpy/arrayobject.h>

#define MOST_INPUTS 3

typedef int (*one_function)(const double *const *, double *);
typedef int (*many_function)(const double *const *, double *, ptrdiff_t, long);

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    one_function one;
    many_function many;
    Py_ssize_t inputs, n;
    int matrix;
    long threads;
    PyObject *library;  /* what keeps the machine code loaded */
} Caller;

static int is_clean(PyObject *argument, Py_ssize_t n)
{
    if (!PyArray_CheckExact(argument))
        return 0;
    PyArrayObject *array = (PyArrayObject *)argument;
    const int dimensions = PyArray_NDIM(array);
    return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array)
        && (dimensions == 1 || dimensions == 2) && PyArray_DIM(array, dimensions - 1) == n;
}

static PyObject *call(PyObject *object, PyObject *const *args, size_t flags, PyObject *names)
{
    Caller *self = (Caller *)object;
    const double *in[MOST_INPUTS];
    if (PyVectorcall_NARGS(flags) != self->inputs
            || (names != NULL && PyTuple_GET_SIZE(names) != 0))
        Py_RETURN_NONE;
    for (Py_ssize_t i = 0; i < self->inputs; i++) {
        if (!is_clean(args[i], self->n))
            Py_RETURN_NONE;
        in[i] = PyArray_DATA((PyArrayObject *)args[i]);
    }
    PyArrayObject *first = (PyArrayObject *)args[0];
    const int dimensions = PyArray_NDIM(first);
    for (Py_ssize_t i = 1; i < self->inputs; i++) {
        PyArrayObject *other = (PyArrayObject *)args[i];
        if (PyArray_NDIM(other) != dimensions || PyArray_DIM(other, 0) != PyArray_DIM(first, 0))
            Py_RETURN_NONE;
    }
    npy_intp shape[3];
    int size = 0;
    if (dimensions == 2)
        shape[size++] = PyArray_DIM(first, 0);
    shape[size++] = self->n;
    if (self->matrix)
        shape[size++] = self->n;
    PyObject *result = PyArray_SimpleNew(size, shape, NPY_DOUBLE);
    if (result == NULL)
        return NULL;
    double *out = PyArray_DATA((PyArrayObject *)result);
    int spoiled = 0;
    if (dimensions == 1) {
        spoiled = self->one(in, out);
    } else if (shape[0] > 0) {
        Py_BEGIN_ALLOW_THREADS
        spoiled = self->many(in, out, shape[0], self->threads);
        Py_END_ALLOW_THREADS
    }
    if (spoiled) {
        Py_DECREF(result);
        Py_RETURN_NONE;
    }
    return result;
}

static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    unsigned long long one, many;
    Py_ssize_t inputs, n;
    int matrix;
    long threads;
    PyObject *library;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "KKnnplO", &one, &many, &inputs, &n, &matrix, &threads, &library))
        return NULL;
    if (one == 0 || many == 0 || inputs < 1 || inputs > MOST_INPUTS || n < 1 || threads < 1) {
        PyErr_SetString(PyExc_ValueError, "addresses, 1 to 3 inputs, n and threads from 1");
        return NULL;
    }
    Caller *self = (Caller *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->vectorcall = call;
    self->one = (one_function)(size_t)one;
    self->many = (many_function)(size_t)many;
    self->inputs = inputs;
    self->n = n;
    self->matrix = matrix;
    self->threads = threads;
    Py_INCREF(library);
    self->library = library;
    return (PyObject *)self;
}

static void destroy(PyObject *object)
{
    Py_XDECREF(((Caller *)object)->library);
    Py_TYPE(object)->tp_free(object);
}

static PyTypeObject CallerType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "urdf2dyn_caller.Caller",
    .tp_doc = "Caller(one, many, inputs, n, matrix, threads, library)",
    .tp_basicsize = sizeof(Caller),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_new = create,
    .tp_dealloc = destroy,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Caller, vectorcall),
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "urdf2dyn_caller", .m_size = -1};

PyMODINIT_FUNC PyInit_urdf2dyn_caller(void)
{
    import_array();
    if (PyType_Ready(&CallerType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    if (made == NULL)
        return NULL;
    Py_INCREF(&CallerType);
    if (PyModule_AddObject(made, "Caller", (PyObject *)&CallerType) < 0) {
        Py_DECREF(&CallerType);
        Py_DECREF(made);
        return NULL;
    }
    return made;
}
