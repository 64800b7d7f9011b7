/** The parts of a failed load that are read. */
interface FailedLoad {
  readonly isTrusted: boolean;
  readonly target: { readonly localName?: string; readonly src?: string; readonly type?: string } | null;
}

interface ScriptWindow {
  readonly location: { readonly origin: string; readonly href: string };
  addEventListener(type: 'error', listener: (event: FailedLoad) => void, capture: true): void;
}

/**
 * Hears in the isolated world of a page which scripts of its own origin did not load. Copied as text, so it must not use
 * anything outside itself.
 * @param window the global object; null means the one the function runs in
 * @param tell gets the address
 */
export function watchMissingScripts(window: ScriptWindow | null, tell: (url: string) => void): void {
  const page = window ?? (globalThis as unknown as ScriptWindow);
  const onError = ({ isTrusted, target }: FailedLoad) => {
    if (!isTrusted || target?.localName !== 'script') return;
    const { origin, href } = page.location;
    // A module within the document did not get what it imports.
    if (!target.src) target.type === 'module' && tell(href);
    else if (new URL(target.src).origin === origin) tell(target.src);
  };
  page.addEventListener('error', onError, true);
}
