/** One event of a stream. */
export interface StreamedEvent {
  readonly event: string;
  readonly data: string;
}

/** Longest event, in characters: a server that never ends one must not fill the memory. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * The events of a body of `text/event-stream` (WHATWG HTML, section 9.2), as far as panels use the format: names, data,
 * comments.
 * @throws what reading the body throws
 */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  let event = '';
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // A carriage return at the end of a piece may be half of a line end.
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      if (rest.length > MOST_CHARACTERS) throw new Error('The stream of events has a line without an end.');
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { event: event || 'message', data: data.join('\n') };
          event = '';
          data = [];
          continue;
        }
        const [, field, text = ''] = /^([^:]*)(?::[ ]?(.*))?$/.exec(line) ?? [];
        if (field === 'event') event = text;
        if (field === 'data') data.push(text);
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
