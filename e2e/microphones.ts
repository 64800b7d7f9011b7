import type { Page } from '@playwright/test';

/** Records the microphones that a page opens. @returns how many of them are open */
export async function watchMicrophones(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const scope = window as unknown as { microphones: MediaStreamTrack[] };
    scope.microphones = [];
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await open(wanted);
      scope.microphones.push(...stream.getTracks());
      return stream;
    };
  });
  return () =>
    page.evaluate(() => {
      const scope = window as unknown as { microphones: MediaStreamTrack[] };
      return scope.microphones.filter(({ readyState }) => readyState === 'live').length;
    });
}
