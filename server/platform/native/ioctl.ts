import { errnoOf } from '../errno.ts';
import type { DeviceIo, EventIo } from './deviceIo.ts';
import { loadProgram } from './program.ts';

/** O_CLOEXEC of Linux (asm-generic/fcntl.h; node does not name it): commands of the terminal must not inherit a device. */
const O_CLOEXEC = 0o2000000;

const POLLIN = 1;

interface Calls {
  readonly read: (fd: number, into: Buffer, size: number) => number;
  readonly write: (fd: number, from: Buffer, size: number) => number;
  readonly eventfd: (count: number, flags: number) => number;
  readonly poll: {
    (set: Buffer, count: number, limitMs: number): number;
    async(set: Buffer, count: number, limitMs: number, done: () => void): void;
  };
  readonly open: (path: string, flags: number) => number;
  readonly close: (fd: number) => number;
  readonly ioctlPointer: (fd: number, request: number, argument: Buffer) => number;
  readonly ioctlValue: (fd: number, request: number, value: number) => number;
  readonly checked: (result: number, call: string) => number;
}

let calls: Calls | undefined;

/** The system calls of this machine through koffi, loaded on the first call: a desk without hardware never loads it. */
export const systemDeviceIo: DeviceIo = {
  open: (path, flags) => {
    const { open, checked } = load();
    return checked(open(path, flags | O_CLOEXEC), `open ${path}`);
  },
  close: (fd) => {
    const { close, checked } = load();
    checked(close(fd), 'close');
  },
  ioctlPointer: (fd, request, argument) => {
    const { ioctlPointer, checked } = load();
    return checked(ioctlPointer(fd, request, argument), title(request));
  },
  ioctlValue: (fd, request, value) => {
    const { ioctlValue, checked } = load();
    return checked(ioctlValue(fd, request, value), title(request));
  },
};

/** As `systemDeviceIo`, with what is heard from the kernel. */
export const systemEventIo: EventIo = {
  ...systemDeviceIo,
  readWaiting: (fd, into) => {
    const { poll, read, checked } = load();
    if (checked(poll(pollSet([fd]), 1, 0), 'poll') === 0) return 0;
    try {
      return checked(read(fd, into, into.length), 'read');
    } catch (error) {
      // What poll(2) saw may be gone by now: that is nothing to read, and no failure of the device.
      if (errnoOf(error) === 'EAGAIN') return 0;
      throw error;
    }
  },
  whenReadable: (fds, limitMs, ready) => shared.whenReadable(fds, limitMs, ready),
};

/** One poll(2) that can be ended early. @param done gets the descriptors that can be read, have failed or were closed */
type PollOnce = (
  fds: readonly number[],
  limitMs: number,
  done: (ready: ReadonlySet<number>) => void,
) => () => void;

interface Wait {
  readonly fds: readonly number[];
  /** In steady time; the past: it was ended. */
  until: number;
  readonly ready: () => void;
}

/** Waits for the descriptors of all drivers in one thread: Node's pool has four, and files need them. */
class SharedPoll {
  readonly #pollOnce: PollOnce;
  readonly #waits = new Set<Wait>();
  #wake: (() => void) | undefined;
  #isTelling = false;

  constructor(pollOnce: PollOnce) {
    this.#pollOnce = pollOnce;
  }

  /** As `whenReadable` of EventIo. */
  whenReadable(fds: readonly number[], limitMs: number, ready: () => void): () => void {
    const wait: Wait = { fds, until: performance.now() + limitMs, ready };
    this.#waits.add(wait);
    this.#lookAgain();
    return () => {
      if (!this.#waits.has(wait)) return;
      wait.until = 0;
      this.#lookAgain();
    };
  }

  #lookAgain(): void {
    if (this.#isTelling) return;
    if (this.#wake) this.#wake();
    else this.#poll();
  }

  #poll(): void {
    if (this.#waits.size === 0) return;
    const waits = [...this.#waits];
    const until = Math.min(...waits.map((wait) => wait.until));
    const limitMs = Math.max(0, Math.ceil(until - performance.now()));
    this.#wake = this.#pollOnce([...new Set(waits.flatMap(({ fds }) => fds))], limitMs, (ready) => {
      this.#wake = undefined;
      this.#tell(ready);
    });
  }

  #tell(ready: ReadonlySet<number>): void {
    const now = performance.now();
    const due = [...this.#waits].filter(({ until, fds }) => until <= now || fds.some((fd) => ready.has(fd)));
    for (const wait of due) this.#waits.delete(wait);
    // A listener that is called waits again: these waits are polled together afterwards.
    this.#isTelling = true;
    try {
      for (const wait of due) wait.ready();
    } finally {
      this.#isTelling = false;
      this.#poll();
    }
  }
}

const shared = new SharedPoll((fds, limitMs, done) => {
  const { poll, eventfd, write, checked } = load();
  const alarm = checked(eventfd(0, O_CLOEXEC), 'eventfd');
  const set = pollSet([...fds, alarm]);
  let isOver = false;
  poll.async(set, fds.length + 1, limitMs, () => {
    isOver = true;
    systemDeviceIo.close(alarm);
    done(new Set(fds.filter((_, index) => set.readUInt16LE(index * 8 + 6) !== 0)));
  });
  return () => {
    if (!isOver) write(alarm, Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]), 8);
  };
});

/** An array of struct pollfd (poll(2)), large enough to lie outside of the heap of JavaScript, where it does not move. */
function pollSet(fds: readonly number[]): Buffer {
  const set = Buffer.alloc(Math.max(1_024, fds.length * 8));
  for (const [index, fd] of fds.entries()) {
    set.writeInt32LE(fd, index * 8);
    set.writeInt16LE(POLLIN, index * 8 + 4);
  }
  return set;
}

function title(request: number): string {
  return `ioctl 0x${request.toString(16)}`;
}

function load(): Calls {
  calls ??= bind();
  return calls;
}

function bind(): Calls {
  const program = loadProgram();
  return {
    open: program.bind('int open(const char *path, int flags)'),
    close: program.bind('int close(int fd)'),
    // Two fixed prototypes of one variadic function: on Linux for x64 and arm64 the third argument is passed alike.
    ioctlPointer: program.bind('ioctl', 'int', ['int', 'unsigned long', 'void *']),
    ioctlValue: program.bind('ioctl', 'int', ['int', 'unsigned long', 'long']),
    read: program.bind('long read(int fd, void *into, unsigned long size)'),
    write: program.bind('long write(int fd, const void *from, unsigned long size)'),
    eventfd: program.bind('int eventfd(unsigned int count, int flags)'),
    poll: program.bind('int poll(void *set, unsigned long count, int limit)'),
    checked: program.checked,
  };
}
