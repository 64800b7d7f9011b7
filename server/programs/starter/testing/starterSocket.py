# Does what systemd does with Accept=yes: one program per connection, with the connection as its standard input.
import signal, socket, subprocess, sys

path, *command = sys.argv[1:]
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
print("listens", flush=True)
while True:
    connection, _ = listener.accept()
    subprocess.Popen(command, stdin=connection, stdout=subprocess.DEVNULL)
    connection.close()
