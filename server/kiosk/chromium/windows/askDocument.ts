import type { Clock } from '../../../platform/clock.ts';
import type { CdpCommands, CdpSend } from '../process/cdpProtocol.ts';

/** What Chromium answers between two documents of one window (v8_inspector, `InjectedScript` and `RuntimeAgent`). */
const BETWEEN_DOCUMENTS =
  /Cannot find default execution context|Execution context was destroyed|Inspected target navigated/;

/** Pause between two questions, and how long a window may stay without a document, in milliseconds. */
const EVERY_MS = 20;
const LIMIT_MS = 5_000;

/**
 * Evaluates in the document of a window of ours. A new window changes its document once; a question at that moment is
 * asked again.
 * @throws CdpError when the window is gone, or has no document for 5 s
 */
export async function askDocument(
  send: CdpSend,
  clock: Clock,
  sessionId: string,
  question: CdpCommands['Runtime.evaluate']['params'],
): Promise<CdpCommands['Runtime.evaluate']['result']> {
  const began = clock.now();
  for (;;) {
    try {
      return await send('Runtime.evaluate', question, sessionId);
    } catch (error) {
      if (!BETWEEN_DOCUMENTS.test(String(error)) || clock.now() - began >= LIMIT_MS) throw error;
    }
    await new Promise<void>((resolve) => clock.after(EVERY_MS, resolve));
  }
}
