/* A graphics card that is not there: what a process holds of it is a mapping with a name, made
 * here and counted by nvml.c, so that it goes with the process. Both stand in for the driver's own
 * libraries, as far as the tests call them. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#define CONTEXT ((size_t)300 << 20)

static void *held;
static pid_t owner;

static void *take(size_t size) {
    int file = memfd_create("envdoctor-gpu", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)size)) return NULL;
    void *place = mmap(NULL, size, PROT_NONE, MAP_SHARED, file, 0);
    close(file);
    if (place == MAP_FAILED) return NULL;
    madvise(place, size, MADV_DONTFORK); /* a child has no context of its own yet */
    return place;
}

int cuInit(unsigned flags) { return (int)flags; }
int cuDeviceGet(int *device, int number) { *device = number; return 0; }

int cuDevicePrimaryCtxRetain(void **context, int device) {
    if (!held || owner != getpid()) held = take(CONTEXT);
    owner = getpid();
    *context = held;
    return held ? device : 2;
}

int cuCtxSetCurrent(void *context) { return context ? 0 : 201; }

int cuMemAlloc_v2(unsigned long long *pointer, size_t size) {
    *pointer = (unsigned long long)take(size);
    return *pointer ? 0 : 2;
}

int cuMemFree_v2(unsigned long long pointer, size_t size) {
    return munmap((void *)pointer, size);
}
