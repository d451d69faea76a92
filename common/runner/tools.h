// The programs beside the races, by the names of their links in scenarios/.
#ifndef TOOLS_H
#define TOOLS_H

int guest_check_main(int argc, char **argv);
int list_main(int argc, char **argv);
int matrix_main(int argc, char **argv);
int replay_main(int argc, char **argv);

#endif
