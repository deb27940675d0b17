/* A native library that forgets: what it takes and never gives back. Everything it takes is written to, so that it is
   really there. Calls into libc through ctypes would not do: only those of a compiled library are seen by memray. */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* `size` bytes of malloc that nobody frees. */
void keep_block(size_t size) {
    void *block = malloc(size);
    if (block) memset(block, 1, size);
}

/* As it should be: the caller frees it. */
void *take_block(size_t size) {
    void *block = malloc(size);
    if (block) memset(block, 1, size);
    return block;
}

void give_block(void *block) { free(block); }

/* `size` bytes of anonymous memory that nobody unmaps; malloc knows nothing of them. */
void keep_pages(size_t size) {
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) memset(pages, 1, size);
}

/* As it should be. */
void *take_pages(size_t size) {
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return NULL;
    memset(pages, 1, size);
    return pages;
}

void give_pages(void *pages, size_t size) { munmap(pages, size); }
