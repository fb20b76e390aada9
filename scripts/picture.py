#!/usr/bin/env python3
"""Makes a grey picture of an array of rank 2. Its least value is black, and its
largest value is white.

Usage: picture.py [--invert] ARRAY.npy PICTURE

PICTURE ends in .pgm or .png. Needs Python only.
"""

import sys

from obstest.picture import convert

if __name__ == "__main__":
    words = [w for w in sys.argv[1:] if w != "--invert"]
    if len(words) != 2:
        sys.exit(__doc__)
    convert(*words, invert="--invert" in sys.argv)
