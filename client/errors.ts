import type { ErrorCode } from './calls.ts';

/** The panel refused a call, or failed. */
export class PanelError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Path of the bad field, where there is one. */
  readonly field: string | undefined;

  /** @param status of HTTP */
  constructor(code: ErrorCode, sentence: string, status: number, field?: string) {
    super(sentence);
    this.name = 'PanelError';
    this.code = code;
    this.status = status;
    this.field = field;
  }
}

/** No answer came from a panel, or none that a panel gives. */
export class PanelUnreachable extends Error {
  constructor(sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.name = 'PanelUnreachable';
  }
}

/** The error that an answer holds. */
export async function errorOf(response: Response, address: string): Promise<PanelError | PanelUnreachable> {
  const text = await response.text().catch(() => '');
  try {
    const { error, code, field } = JSON.parse(text) as { error: unknown; code: unknown; field?: unknown };
    if (typeof error === 'string' && typeof code === 'string')
      return new PanelError(
        code as ErrorCode,
        error,
        response.status,
        typeof field === 'string' ? field : undefined,
      );
  } catch {
    // Not one of ours.
  }
  return new PanelUnreachable(`${address} answers ${response.status}, not as a panel does.`);
}
