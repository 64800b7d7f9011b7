import { askedOnce } from '../chromium/live/target.ts';

/** A DevTools session over the debug port. */
export class DevTools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: { result?: unknown; error?: { message: string } }) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data));
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    };
    socket.onclose = () => this.#onClose();
  }

  /** Rejects everything that waits for a page that is gone. */
  #onClose(): void {
    for (const answer of this.#waiting.values()) answer({ error: { message: 'the page is gone' } });
  }

  static async connect(url: string): Promise<DevTools> {
    const socket = new WebSocket(url);
    const tools = new DevTools(socket);
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () => reject(new Error('no DevTools connection'));
    });
    return tools;
  }

  async send<T>(method: string, params: object = {}): Promise<T> {
    const id = ++this.#lastId;
    const { result, error } = await new Promise<{ result?: unknown; error?: { message: string } }>(
      (resolve, reject) => {
        this.#waiting.set(id, resolve);
        this.#socket.send(JSON.stringify({ id, method, params }));
        setTimeout(() => reject(new Error(`${method}: no answer`)), 30_000).unref();
      },
    );
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result as T;
  }

  async evaluate<T>(expression: string): Promise<T> {
    // userGesture: as if a person had touched the screen; otherwise the popup blocker would answer before our guards.
    const answer = await this.send<{
      result: { value: T };
      exceptionDetails?: { exception?: { description: string } };
    }>('Runtime.evaluate', {
      expression: askedOnce(expression),
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (answer.exceptionDetails)
      throw new Error(answer.exceptionDetails.exception?.description ?? 'page error');
    return answer.result.value;
  }

  /** Adds an iframe with these attributes to the page and waits until it has loaded. */
  addFrame(attributes: Record<string, string>): Promise<unknown> {
    return this.evaluate(`new Promise((loaded) => {
      const frame = document.createElement('iframe');
      for (const [name, value] of Object.entries(${JSON.stringify(attributes)})) frame.setAttribute(name, value);
      frame.onload = () => loaded();
      document.body.append(frame);
    })`);
  }

  close(): void {
    this.#socket.close();
  }
}
