import type { SipVideoFactory, SipVideoTools, StreamFactory } from './streamTools.ts';

/** The parts of the page's global object that the pictures of calls use. */
interface SipVideoGlobal {
  faceplateStreams?: StreamFactory;
  faceplateSipVideo?: SipVideoFactory;
}

/**
 * Provides the maker of `showVideo`, `resizeVideo` and `hideVideo` of `container.sip` to installBridge, which removes
 * it from the page before the page's first script. Copied into the page as text: it must not use anything outside
 * itself.
 * A picture covers the page's box and follows it, as camera pictures do. It is tried again while its call lasts, so
 * a page may ask for it as soon as the phone rings; it ends with the call.
 * @param page the global object; null means the one the function runs in.
 */
export function offerSipVideo(page: SipVideoGlobal | null): void {
  const scope = page ?? (globalThis as unknown as SipVideoGlobal);
  const makeStreams = scope.faceplateStreams!;
  const { stringify } = JSON;
  const { keys } = Object;
  const { apply } = Reflect;

  const TARGETS = ['remote', 'local'];

  scope.faceplateSipVideo = ({ call, status, onSip, failure }: SipVideoTools) => {
    const bad = (sentence: string, field: string) => failure(sentence, 'INVALID_REQUEST', field);
    let shown: string[] = [];

    const isWithoutCall = ({ callStatus }: { callStatus: string }) =>
      callStatus === 'idle' || callStatus === 'failed';
    const takeAllAway = () => {
      shown = [];
      void send('{"action":"closeAll"}');
    };
    const open = async (target: string, sdp: string) => {
      try {
        return await call({ action: 'show', target, sdp });
      } catch (error) {
        // No event reports the end of a call that was ignored.
        if (isWithoutCall(await status())) takeAllAway();
        throw error;
      }
    };

    const send = makeStreams({
      // `id` includes the prefix of the page's streams.
      call: ({ action, id, url, sdp }: { action?: string; id?: string; url?: string; sdp?: string }) =>
        action === 'open'
          ? open(url!, sdp!)
          : call({ action: 'hide', target: id === 'page.local' ? 'local' : 'remote' }),
      failure,
      announce: () => {},
      onSession: () =>
        onSip(({ event }) => {
          if (event === 'callEnded' || event === 'callFailed') takeAllAway();
        }),
      isUrl: (url) => TARGETS.includes(url),
    });

    const fieldsOf = (given: unknown, takes: string): Readonly<Record<string, unknown>> => {
      if (typeof given !== 'object' || given === null)
        throw bad('The argument must be an object with a "target".', 'target');
      const names = keys(given);
      for (let i = 0; i < names.length; i++)
        if (!takes.includes(` ${names[i]} `)) throw bad('There is no such field.', names[i]!);
      return given as Readonly<Record<string, unknown>>;
    };
    const targetOf = (target: unknown): string => {
      if (typeof target === 'string' && TARGETS.includes(target)) return target;
      throw bad('target must be "remote" or "local".', 'target');
    };
    const isShown = (target: string) => shown.includes(target);
    const without = (target: string) => apply(shown.filter, shown, [(one: string) => one !== target]);

    return {
      showVideo: async (given) => {
        const { target, divId, rect } = fieldsOf(given, ' target divId rect ');
        const id = targetOf(target);
        const before = await status();
        // Nothing to show without a call: the page's box stays as it is.
        if (isWithoutCall(before)) return before;
        await send(stringify({ action: 'open', id, url: id, divId, rect }));
        shown = [...without(id), id];
        return before;
      },
      resizeVideo: async (given) => {
        const { target, divId, rect } = fieldsOf(given, ' target divId rect ');
        const id = targetOf(target);
        if (isShown(id)) await send(stringify({ action: 'resize', id, divId, rect }));
        return status();
      },
      hideVideo: async (given = {}) => {
        const { target } = fieldsOf(given, ' target ');
        const ids = target === undefined ? shown : [targetOf(target)];
        for (let i = 0; i < ids.length; i++)
          if (isShown(ids[i]!)) await send(stringify({ action: 'close', id: ids[i] }));
        shown = target === undefined ? [] : without(target as string);
        return status();
      },
    };
  };
}
