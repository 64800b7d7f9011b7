/** The element with this id. @throws Error when index.html has none of that kind. */
export function element<T extends HTMLElement>(id: string, kind: abstract new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`index.html has no ${kind.name} with the id ${id}.`);
  return found;
}

/** Value of the chosen radio button of a group. */
export function chosen(groupName: string): string {
  const radio = document.querySelector<HTMLInputElement>(`input[name="${groupName}"]:checked`);
  return radio?.value ?? '';
}

/** The message of an error, with its code if it has one: `The camera cannot be reached. (CAMERA_UNREACHABLE)`. */
export function errorText(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const sentence = message ?? String(error);
  return code ? `${sentence} (${code})` : sentence;
}

/** The line at the bottom of a card. */
export class CardStatus {
  readonly #line: HTMLElement;

  /** @param card the card's name: its line has the id `<card>-status`. */
  constructor(card: string) {
    this.#line = element(`${card}-status`, HTMLElement);
  }

  say(text: string): void {
    this.#show(text, false);
  }

  sayError(error: unknown): void {
    this.#show(errorText(error), true);
  }

  /** Does the work and shows its outcome in the line. @returns undefined when it failed. */
  async attempt<R>(
    work: () => Promise<R>,
    success: (result: R) => string = () => '',
  ): Promise<R | undefined> {
    try {
      const result = await work();
      this.say(success(result));
      return result;
    } catch (error) {
      this.sayError(error);
      return undefined;
    }
  }

  #show(text: string, isError: boolean): void {
    this.#line.textContent = text;
    this.#line.title = text;
    this.#line.classList.toggle('error', isError);
  }
}

/** Disables every control of a card, because the board has no such part. */
export function setAbsent(card: string, sentence: string): void {
  const section = element(`${card}-card`, HTMLElement);
  section.classList.add('absent');
  for (const control of section.querySelectorAll<HTMLInputElement>('input, select, .controls button')) {
    control.disabled = true;
  }
  new CardStatus(card).say(sentence);
}
