/*
 * A compiled function of any robot as a Python callable: checks, and one call.
 *
 * Clean input goes straight to C: exact numpy arrays of native, aligned, contiguous float64, all
 * of one row or all of N rows, each input with rows of its own size. For anything else, and for
 * numbers that are not finite, the answer is None: the caller then takes the careful way, which
 * converts or explains.
 */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <stddef.h>
#include <numpy/arrayobject.h>

#define MOST_INPUTS 16   /* q, qd, qdd, passive, base_motion, payload, external are 7 */

typedef int (*one_function)(const double *const *, double *);
typedef int (*many_function)(const double *const *, double *, ptrdiff_t, long);

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    one_function one;
    many_function many;
    Py_ssize_t inputs, sizes[MOST_INPUTS];
    Py_ssize_t dimensions, shape[2];  /* of the result for one state */
    long threads;
    PyObject *library;  /* what keeps the machine code loaded */
} Caller;

/* N of (N, size), -1 of (size,), -2 of anything that is not clean */
static npy_intp rows_of(PyObject *argument, Py_ssize_t size)
{
    if (!PyArray_CheckExact(argument))
        return -2;
    PyArrayObject *array = (PyArrayObject *)argument;
    const int dimensions = PyArray_NDIM(array);
    if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array)
            || (dimensions != 1 && dimensions != 2)
            || PyArray_DIM(array, dimensions - 1) != size)
        return -2;
    return dimensions == 2 ? PyArray_DIM(array, 0) : -1;
}

static PyObject *call(PyObject *object, PyObject *const *args, size_t flags, PyObject *names)
{
    Caller *self = (Caller *)object;
    const double *in[MOST_INPUTS];
    if (PyVectorcall_NARGS(flags) != self->inputs
            || (names != NULL && PyTuple_GET_SIZE(names) != 0))
        Py_RETURN_NONE;
    npy_intp rows = -2;
    for (Py_ssize_t i = 0; i < self->inputs; i++) {
        const npy_intp found = rows_of(args[i], self->sizes[i]);
        if (found == -2 || (found != rows && i > 0))
            Py_RETURN_NONE;
        rows = found;
        in[i] = PyArray_DATA((PyArrayObject *)args[i]);
    }
    npy_intp shape[3];
    int size = 0;
    if (rows >= 0)
        shape[size++] = rows;
    for (Py_ssize_t k = 0; k < self->dimensions; k++)
        shape[size++] = self->shape[k];
    PyObject *result = PyArray_SimpleNew(size, shape, NPY_DOUBLE);
    if (result == NULL)
        return NULL;
    double *out = PyArray_DATA((PyArrayObject *)result);
    int spoiled = 0;
    if (rows < 0) {
        spoiled = self->one(in, out);
    } else if (rows > 0) {
        Py_BEGIN_ALLOW_THREADS
        spoiled = self->many(in, out, rows, self->threads);
        Py_END_ALLOW_THREADS
    }
    if (spoiled) {
        Py_DECREF(result);
        Py_RETURN_NONE;
    }
    return result;
}

/* the sizes of a tuple; how many there are, or -1 with an exception if they are too many */
static Py_ssize_t sizes_of(PyObject *tuple, Py_ssize_t most, Py_ssize_t *sizes)
{
    const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    if (count > most) {
        PyErr_Format(PyExc_ValueError, "%zd sizes; caller.c has room for %zd", count, most);
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++)
        sizes[k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, k));
    return count;
}

static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    unsigned long long one, many;
    long threads;
    PyObject *inputs, *result, *library;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "KKO!O!lO", &one, &many, &PyTuple_Type, &inputs, &PyTuple_Type,
                          &result, &threads, &library))
        return NULL;
    Caller *self = (Caller *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->vectorcall = call;
    self->one = (one_function)(size_t)one;
    self->many = (many_function)(size_t)many;
    self->threads = threads;
    Py_INCREF(library);
    self->library = library;
    self->inputs = sizes_of(inputs, MOST_INPUTS, self->sizes);
    self->dimensions = sizes_of(result, 2, self->shape);
    if (self->inputs < 0 || self->dimensions < 0) {
        Py_DECREF(self);
        return NULL;
    }
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
    .tp_doc = "Caller(one, many, sizes of inputs, shape of the result, threads, library)",
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
    Py_INCREF(&CallerType);
    if (made != NULL && PyModule_AddObject(made, "Caller", (PyObject *)&CallerType) < 0)
        Py_CLEAR(made);
    return made;
}
