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
  const headers = { authorization: `Bearer ${await service.token()}` };
  const { signal } = hangUp;
  const { body } = await fetch(`${await service.url}/api/remote/events`, { headers, signal });
  const heard: string[] = [];
  const pattern = new RegExp(`^event: ${event}\\ndata: (.*)$`, 'm');
  const reading = (async () => {
    let text = '';
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, data] = pattern.exec(block) ?? [];
        if (data !== undefined) heard.push(tell(JSON.parse(data)));
      }
    }
  })().catch(() => undefined);
  return {
    heard,
    end: async () => {
      hangUp.abort();
      await reading;
    },
  };
}
