#include <stdio.h>

int main(void) {
    char line[4096];
    int rows = 6, columns = 7;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "game %d %d", &rows, &columns) == 2)
            continue;
        int height[256] = {0}, column, length;
        for (char *rest = line + 4; sscanf(rest, "%d%n", &column, &length) == 1; rest += length)
            height[column]++;
        for (column = 0; height[column] == rows;)
            column++;
        printf("%d\n", column);
        fflush(stdout);
    }
}
