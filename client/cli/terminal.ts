/** How often a long step says that it is still running, in milliseconds. */
const PROGRESS_EVERY_MS = 2_000;

/** Where the command line writes: answers to one stream, words about them to the other. */
export interface Terminal {
  out(text: string | Uint8Array): void;
  err(line: string): void;
  /** The next line of standard input, without its end; undefined at the end of it. */
  readLine(question: string): Promise<string | undefined>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts with Ctrl+C. */
  readonly signal: AbortSignal;
}

/** Characters of a terminal that would steer it: a page and a panel must not. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text that cannot steer the terminal. */
export function plain(text: string): string {
  return text.replace(STEERING, '?');
}

/** What one panel has to say, with its name in front of each line where there are several. */
export class Output {
  readonly #terminal: Terminal;
  readonly #prefix: string;

  constructor(terminal: Terminal, name: string | undefined) {
    this.#terminal = terminal;
    this.#prefix = name === undefined ? '' : `${name}: `;
  }

  /** Text for people. */
  say(text: string): void {
    this.#terminal.out(`${this.#lines(text)}\n`);
  }

  /** Words about what is being done. */
  note(text: string): void {
    this.#terminal.err(this.#lines(text));
  }

  /** Runs `work`, and prints every few seconds that it continues. */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const ticker = setInterval(
      () => this.note(`${what} … ${Math.round((performance.now() - startedAt) / 1000)} s`),
      PROGRESS_EVERY_MS,
    );
    try {
      return await work();
    } finally {
      clearInterval(ticker);
    }
  }

  #lines(text: string): string {
    const lines = text.split('\n').map((line) => this.#prefix + line);
    return plain(lines.join('\n'));
  }
}
