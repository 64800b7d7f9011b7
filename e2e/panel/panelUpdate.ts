import { expect } from '@playwright/test';
import { PATIENCE, type VirtualPanel } from '../virtualPanel.ts';

/** What the panel says of its version. */
export interface PanelUpdate {
  readonly installed: string;
  readonly slot: string;
  readonly state: string;
  readonly last: { readonly version: string; readonly result: string; readonly reason: string | null } | null;
}

export async function updateOf(panel: VirtualPanel): Promise<PanelUpdate> {
  return (await panel.api('/api/manage/update')).body as unknown as PanelUpdate;
}

/** Waits for the restart that the panel does by itself. */
export async function untilRestarted(panel: VirtualPanel): Promise<void> {
  await panel.nextEvent('RESET');
  panel.forgetShell();
}

/** Waits until the last try has ended, over any number of restarts. */
export async function untilLast(panel: VirtualPanel, version: string, result: string): Promise<PanelUpdate> {
  const last = async () => {
    const found = await updateOf(panel).catch(() => undefined);
    return found?.state === 'idle' ? `${found.last?.version} ${found.last?.result}` : undefined;
  };
  await expect.poll(last, { timeout: PATIENCE.boot, intervals: [2_000] }).toBe(`${version} ${result}`);
  panel.forgetShell();
  return updateOf(panel);
}
