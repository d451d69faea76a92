# What Perl's own TAP::Parser, on which "prove" stands, reads in a report
# (standard input), as JSON.
use strict;
use warnings;
use JSON::PP;
use TAP::Parser;

local $/;
my $parser = TAP::Parser->new({ tap => <STDIN> });
my (@points, @strange);
while (my $result = $parser->next) {
    if ($result->is_test) {
        push @points, { ok => $result->is_actual_ok ? JSON::PP::true : JSON::PP::false,
                        id => $result->number + 0,
                        skip => $result->has_skip ? JSON::PP::true : JSON::PP::false };
    } elsif ($result->is_unknown) {
        push @strange, $result->raw;
    }
}
print JSON::PP->new->canonical->encode({ planned => $parser->tests_planned + 0, points => \@points,
                                         strange => \@strange, failures => [$parser->parse_errors] });
