import type { BuiltInPageChannel } from '../../contract/builtInPage.ts';
import type { CommandName, ParamsOf, ResultOf } from '../../contract/commands.ts';
import type { ErrorAnswer } from '../../contract/errors.ts';

/** The service refused or failed: its sentence and code. */
export class CallError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

interface Answer {
  id: number;
  result?: unknown;
  error?: ErrorAnswer;
}

const { faceplateHost } = window as unknown as { faceplateHost?: BuiltInPageChannel };
const waiting = new Map<number, (answer: Answer) => void>();
let lastId = 0;

faceplateHost?.listen((json) => {
  const answer = JSON.parse(json) as Answer;
  waiting.get(answer.id)?.(answer);
  waiting.delete(answer.id);
});

/** Whether this page is the panel's own settings page; anywhere else no service answers. */
export const isPanel = faceplateHost !== undefined;

/** Runs a command of the service. @throws CallError */
export function call<N extends CommandName>(
  command: N,
  params: Partial<ParamsOf<N>> = {},
): Promise<ResultOf<N>> {
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, ({ result, error }) => {
      if (error === undefined) resolve(result as ResultOf<N>);
      else reject(new CallError(error.error, error.code));
    });
    faceplateHost?.post(JSON.stringify({ id, command, params }));
  });
}
