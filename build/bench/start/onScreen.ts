import { ReportSite } from '../../../e2e/bare/reportSite.ts';
import { TestScreen } from '../../../server/kiosk/testing/testScreen.ts';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import type { Bundled } from './bundled.ts';

/** A service; its leftovers are removed with it. */
interface OneService extends AsyncDisposable {
  readonly service: FaceplateProcess;
}

/** Makes a service with these settings, not started yet. */
export type OpenService = (env: Readonly<Record<string, string>>) => Promise<OneService>;

/** The bundled service with the system's Chromium. */
export function chromiumHost({ main, env: ofUnit }: Bundled): OpenService {
  return async (env) => serviceOf(new FaceplateProcess({ main, env: { ...ofUnit, ...env } }));
}

export function serviceOf(service: FaceplateProcess): OneService {
  return { service, [Symbol.asyncDispose]: async () => void (await service.stop()) };
}

/**
 * A service, not started yet, that shows the page of a site on a virtual screen, in Chromium unless it is made to show it
 * in another program.
 * @param env further settings
 * @param page what it shows first
 */
export async function onScreen(
  open: OpenService,
  env: Readonly<Record<string, string>> = {},
  page = (site: ReportSite) => site.home,
): Promise<OneService & { readonly site: ReportSite }> {
  await using stack = new AsyncDisposableStack();
  const site = stack.use(await ReportSite.open());
  const screen = stack.use(await TestScreen.open({ windowManager: true }));
  const { service } = stack.use(
    await open({
      FACEPLATE_HOST: 'chromium',
      FACEPLATE_KIOSK_URL: page(site),
      FACEPLATE_KIOSK_DEBUG_PORT: 'off',
      DISPLAY: screen.display,
      WAYLAND_DISPLAY: '',
      ...env,
    }),
  );
  const ending = stack.move();
  return { service, site, [Symbol.asyncDispose]: () => ending.disposeAsync() };
}
