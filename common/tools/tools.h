// The programs beside the races, by the names of their links in scenarios/.
#ifndef TOOLS_H
#define TOOLS_H

int list_main(int argc, char **argv);
int matrix_main(int argc, char **argv);
int replay_main(int argc, char **argv);

int assumptions_main(int argc, char **argv);
int bench_main(int argc, char **argv);
int explore_main(int argc, char **argv);
int play_main(int argc, char **argv);

#endif
