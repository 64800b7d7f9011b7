/** Reads server-sent events from pieces of text (WHATWG HTML, section 9.2.6), as far as the panel uses them. */
export class EventText {
  readonly #onEvent: (event: string, data: string) => void;
  #rest = '';

  constructor(onEvent: (event: string, data: string) => void) {
    this.#onEvent = onEvent;
  }

  /** Takes the next piece, wherever it was cut. */
  push(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#read(block);
  }

  #read(block: string): void {
    let event = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const [, field, value = ''] = /^(\w*):? ?(.*)$/s.exec(line) ?? [];
      if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
    }
    if (data.length > 0) this.#onEvent(event, data.join('\n'));
  }
}
