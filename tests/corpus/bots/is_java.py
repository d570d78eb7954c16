// Is another language's.
// expect: problem is_java.py is written in Java, not in Python
public class Bot {
    public int pickMove(int[][] rack) {
        return 3;
    }
}
