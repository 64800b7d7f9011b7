interface Message {
  readonly id?: number;
  readonly type: string;
  readonly success?: boolean;
  readonly result?: unknown;
}

/** The WebSocket API of Home Assistant, signed in. */
export class HomeAssistantSocket {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #next = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.type === 'result') this.#waiting.get(message.id!)?.(message);
    });
  }

  /** @throws Error when it does not let us in */
  static async open(url: string, access_token: string): Promise<HomeAssistantSocket> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/websocket`);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('error', () => reject(new Error('no WebSocket of Home Assistant')));
      socket.addEventListener('message', ({ data }) => {
        const { type } = JSON.parse(String(data)) as Message;
        if (type === 'auth_required') socket.send(JSON.stringify({ type: 'auth', access_token }));
        if (type === 'auth_ok') resolve();
        if (type === 'auth_invalid') reject(new Error('Home Assistant does not know the token'));
      });
    });
    return new HomeAssistantSocket(socket);
  }

  /** @throws Error with what it answered */
  async ask(type: string, more: object): Promise<unknown> {
    const id = this.#next++;
    const answer = await new Promise<Message>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, type, ...more }));
    });
    this.#waiting.delete(id);
    if (!answer.success) throw new Error(`${type}: ${JSON.stringify(answer)}`);
    return answer.result;
  }

  close(): void {
    this.#socket.close();
  }
}
