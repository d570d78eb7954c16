"""Is a program for Python 2.
expect: problem Python 2
"""

import sys


def main(argv):
    if len(argv) != 5 or argv[1] != "one-move":
        print 'Usage: %s one-move [input_file] [output_file] [depth]' % argv[0]
        sys.exit(2)
    print >> sys.stderr, "thinking"


if __name__ == '__main__':
    main(sys.argv)
