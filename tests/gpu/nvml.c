/* The part of NVIDIA's management library that nvidia-ml-py is asked for: one card of 8 GiB, and
 * what each process has mapped of it (see gpu.c). */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    unsigned pid;
    unsigned long long used;
    unsigned instance, compute;
} process;

typedef struct { unsigned long long total, free, used; } memory;

#define TOTAL (8ULL << 30)

/* Whether a process was started with this card in its LD_LIBRARY_PATH: the kernel needs a hundred
 * times as long to print the mappings of each process of the machine. */
static int has_card(const char *pid) {
    static char text[1 << 17];
    char path[64];
    Dl_info card;
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text);
    if (file >= 0) close(file);
    if (size <= 0 || !dladdr((void *)has_card, &card)) return 0;
    const char *end = strrchr(card.dli_fname, '/');
    return end && memmem(text, (size_t)size, card.dli_fname, (size_t)(end - card.dli_fname)) != NULL;
}

static unsigned long long used_by(const char *pid) {
    char line[512];
    unsigned long long from, until, sum = 0;
    if (!has_card(pid)) return 0;
    snprintf(line, sizeof line, "/proc/%s/maps", pid);
    FILE *maps = fopen(line, "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "/memfd:envdoctor-gpu") && sscanf(line, "%llx-%llx", &from, &until) == 2)
            sum += until - from;
    if (maps) fclose(maps);
    return sum;
}

static unsigned listed(process *into, unsigned room, unsigned long long *sum) {
    unsigned found = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *each; proc && (each = readdir(proc));) {
        unsigned long long used = isdigit(each->d_name[0]) ? used_by(each->d_name) : 0;
        if (!used) continue;
        if (into && found < room) into[found] = (process){atoi(each->d_name), used, 0, 0};
        found++;
        *sum += used;
    }
    if (proc) closedir(proc);
    return found;
}

int nvmlInitWithFlags(unsigned flags) { return (int)flags; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **card) { *card = "card"; return (int)number; }
const char *nvmlErrorString(int result) { return result ? "an error" : "no error"; }

int nvmlDeviceGetName(void *card, char *name, unsigned room) {
    snprintf(name, room, "Imaginary %s", (char *)card);
    return 0;
}

int nvmlDeviceGetMemoryInfo(void *card, memory *told) {
    unsigned long long sum = 0;
    listed(NULL, 0, &sum);
    *told = (memory){TOTAL, TOTAL - sum, sum};
    return card ? 0 : 1;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *card, unsigned *count, process *into) {
    unsigned long long sum = 0;
    unsigned room = *count;
    *count = listed(into, room, &sum);
    return *count > room ? 7 : card ? 0 : 1; /* 7: not enough room */
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(void *card, unsigned *count, process *into) {
    *count = 0;
    return card || into ? 0 : 1;
}
