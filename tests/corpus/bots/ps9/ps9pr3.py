from ps9pr1 import *
from ps9pr2 import *
