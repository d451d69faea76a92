// The programs of the lab, by the names of their links in scenarios/.
#ifndef LAB_H
#define LAB_H

int assumptions_main(int argc, char **argv);
int bench_main(int argc, char **argv);
int explore_main(int argc, char **argv);
int play_main(int argc, char **argv);

#endif
