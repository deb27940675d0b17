#include <stdlib.h>

struct shape { double vertices[10]; };
struct body { struct shape *shape; double angle; };

void *create_body(void)
{
    struct body *body = calloc(1, sizeof *body);
    body->shape = calloc(1, sizeof *body->shape);
    return body;
}

double angle(struct body *body) { return body->angle += 0.01; }

void destroy_body(struct body *body, int with_shape)
{
    if (with_shape)
        free(body->shape);
    free(body);
}
