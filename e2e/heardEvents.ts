import type { FaceplateProcess } from '../server/testing/faceplateProcess.ts';

/** What a service tells of one event, from now on; `end` hangs up. */
export interface HeardEvents {
  readonly heard: string[];
  end(): Promise<void>;
}

/** Follows one event of a service, each occurrence in the words of `tell`. */
export async function followEvents(
  service: FaceplateProcess,
  event: string,
  tell: (data: Record<string, string>) => string,
): Promise<HeardEvents> {
  const hangUp = new AbortController();
  const heard: string[] = [];
  const { ended } = await readEvents(service, await service.token(), hangUp.signal, (name, data) => {
    if (name === event) heard.push(tell(data as Record<string, string>));
  });
  return {
    heard,
    end: async () => {
      hangUp.abort();
      await ended;
    },
  };
}

/** Reads the events that a token hears, once the stream is open; `ended` resolves with its end, whoever ended it. */
export async function readEvents(
  service: FaceplateProcess,
  token: string,
  signal: AbortSignal,
  told: (event: string, data: unknown) => void,
): Promise<{ readonly ended: Promise<void> }> {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await fetch(`${await service.url}/api/remote/events`, { headers, signal });
  const ended = (async () => {
    let text = '';
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
        if (event !== undefined && data !== undefined) told(event, JSON.parse(data));
      }
    }
  })().catch(() => undefined);
  return { ended };
}
