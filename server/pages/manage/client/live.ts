import { panel } from './panel.ts';

/** What a viewer may do to the page from afar. */
export type LiveInput =
  | { readonly type: 'down' | 'move' | 'up' | 'tap'; readonly x: number; readonly y: number }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'key'; readonly key: string };

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface LiveListener {
  picture(jpeg: Blob): void;
  /** Of the page, in its pixels; a picture may be smaller. */
  size(size: Size): void;
  /** It ended, or never began. @param isRevoked the token is no longer good */
  ended(isRevoked: boolean): void;
}

const PATH = '/api/manage/screen';
const PROTOCOL = 'faceplate.screen';
/** The close code of a token that was revoked. */
const REVOKED = 4401;

/** The page, live: pictures come, touches and keys go. */
export class LiveScreen {
  readonly #socket: WebSocket | undefined;

  constructor(listener: LiveListener) {
    const socket = panel().socket(PATH, PROTOCOL);
    this.#socket = socket;
    if (socket === undefined) return;
    socket.binaryType = 'blob';
    socket.onmessage = ({ data }: MessageEvent<Blob | string>) => {
      if (typeof data !== 'string') listener.picture(data);
      else {
        const told = JSON.parse(data) as { type: string } & Size;
        if (told.type === 'size') listener.size({ width: told.width, height: told.height });
      }
    };
    socket.onclose = ({ code }) => listener.ended(code === REVOKED);
  }

  send(input: LiveInput): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(input));
  }

  end(): void {
    if (this.#socket === undefined) return;
    this.#socket.onclose = null;
    this.#socket.close();
  }
}
