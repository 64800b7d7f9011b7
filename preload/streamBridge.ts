import type {
  Connection,
  PageElement,
  StreamGlobal,
  StreamSessionState,
  StreamSize,
  StreamTalk,
  StreamTalkState,
  StreamTools,
  Video,
} from './streamTools.ts';

type Fields = Readonly<Record<string, unknown>>;
/**
 * Provides the maker of `container.streamBridge` to installBridge, which removes it from the page before the page's
 * first script. Copied into the page as text, like installBridge: it must not use anything outside itself. A page that
 * changes the DOM's own functions later harms only its own pictures.
 * @param page the global object; null means the one the function runs in.
 */
export function offerStreams(page: StreamGlobal | null): void {
  const scope = page ?? (globalThis as unknown as StreamGlobal);
  const { parse } = JSON;
  const [keys, isNumber, min] = [Object.keys, Number.isFinite, Math.min];
  const { RTCPeerConnection, MediaStream } = scope;
  const nextFrame = scope.requestAnimationFrame.bind(scope);
  const setTimer = scope.setTimeout.bind(scope);
  const clearTimer = scope.clearTimeout.bind(scope);
  const listen = scope.addEventListener.bind(scope);
  const makeTalk = scope.faceplateTalk;
  delete scope.faceplateTalk;
  const makeSize = scope.faceplateSizes!;
  delete scope.faceplateSizes;

  /** Prefix of the page's sessions on the panel; ids of other viewers do not start with it. */
  const PREFIX = 'page.';
  /** Delays between attempts in milliseconds; the last one repeats. */
  const RETRY_MS = [500, 1000, 2000, 5000, 10_000];
  /** How long a connection may be `disconnected` before a new one is made. */
  const DISCONNECTED_MS = 3000;
  /** Another try does not help here: something has to be changed first, and wrong passwords can lock a camera. */
  const FINAL = ' INVALID_REQUEST FORBIDDEN UNSUPPORTED_CODEC CAMERA_UNAUTHORIZED ';
  const FIELDS: Readonly<Record<string, string>> = {
    open: ' action id url divId rect talk ',
    resize: ' action id divId rect ',
    close: ' action id ',
    closeAll: ' action ',
    mute: ' action id ',
    unmute: ' action id ',
    volume: ' action id volume ',
    talk: ' action id on ',
  };

  interface Place {
    readonly divId?: string;
    readonly rect?: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  }
  interface Stream {
    readonly id: string;
    readonly url: string;
    readonly host: PageElement;
    readonly video: Video;
    place: Place;
    box: PageElement | null;
    css: string;
    state: string;
    /** Why there is no picture, as the panel says it. */
    problem: StreamSessionState['problem'];
    connection: Connection | undefined;
    /** Where the page wants to talk. */
    talk: StreamTalk | undefined;
    readonly size: StreamSize;
    attempts: number;
    timer: unknown;
  }

  scope.faceplateStreams = ({ call, failure, announce, onSession, onTalk, isUrl }: StreamTools) => {
    const { document } = scope;
    let streams: Stream[] = [];
    let isFollowing = false;
    let stopHearing = () => {};
    let stopHearingTalk: (() => void) | undefined;

    const bad = (sentence: string, field?: string) => failure(sentence, 'INVALID_REQUEST', field);
    const find = (id: unknown): Stream | undefined => {
      for (let i = 0; i < streams.length; i++) if (streams[i]!.id === id) return streams[i];
      return undefined;
    };

    const say = (stream: Stream, state: string, error?: { message: string; code?: string }) => {
      stream.state = state;
      const { problem } = stream;
      const reason = error
        ? { error: error.message, code: error.code ?? 'INTERNAL' }
        : problem && state !== 'closed' && { error: problem.error, code: problem.code };
      announce({ action: 'state', id: stream.id, state, ...reason, ...stream.talk?.fields() });
    };

    const tell = (stream: Stream, state: string, error?: { message: string; code?: string }) => {
      if (stream.state !== state) say(stream, state, error);
    };

    const cssOf = (stream: Stream): string => {
      const { rect, divId } = stream.place;
      let at: string;
      if (rect !== undefined) {
        stream.size.look(rect.w * scope.innerWidth, rect.h * scope.innerHeight);
        at = `left:${rect.x * 100}vw;top:${rect.y * 100}vh;width:${rect.w * 100}vw;height:${rect.h * 100}vh`;
      } else {
        // Frameworks recreate their elements: the element that has the id now counts, not the first one.
        if (!stream.box?.isConnected || stream.box.id !== divId) stream.box = document.getElementById(divId!);
        const box = stream.box?.getBoundingClientRect();
        stream.size.look(box?.width ?? 0, box?.height ?? 0);
        at = box
          ? `left:${box.left}px;top:${box.top}px;width:${box.width}px;height:${box.height}px`
          : 'width:0;height:0';
      }
      return `all:initial;position:fixed;overflow:hidden;pointer-events:none;z-index:2147483647;${at}`;
    };

    const follow = (stream: Stream) => {
      const css = cssOf(stream);
      if (css === stream.css) return;
      stream.css = css;
      stream.host.style.cssText = css;
    };

    // A check at each frame catches scrolling, resizing and every other move; it runs only while a stream is open.
    const followAll = () => {
      for (let i = 0; i < streams.length; i++) follow(streams[i]!);
      isFollowing = streams.length > 0;
      if (isFollowing) nextFrame(followAll);
    };

    const disconnect = (stream: Stream) => {
      clearTimer(stream.timer);
      stream.talk?.end();
      stream.size.end();
      stream.problem = null;
      stream.connection?.close();
      stream.connection = undefined;
    };

    const fail = (stream: Stream, error: { message: string; code?: string }) => {
      disconnect(stream);
      tell(stream, 'failed', error);
      if (FINAL.includes(` ${error.code} `)) return;
      const wait = RETRY_MS[min(stream.attempts++, RETRY_MS.length - 1)]!;
      stream.timer = setTimer(() => void connect(stream), wait);
    };

    const awaitFrame = (stream: Stream, connection: Connection) =>
      stream.video.requestVideoFrameCallback(() => {
        if (stream.connection !== connection) return;
        stream.attempts = 0;
        tell(stream, 'playing');
      });

    const connect = async (stream: Stream) => {
      tell(stream, 'connecting');
      const connection = new RTCPeerConnection({ iceServers: [] });
      stream.connection = connection;
      const isCurrent = () => stream.connection === connection;
      const lost = () => {
        if (isCurrent()) fail(stream, failure('The connection to the panel was lost.', 'CAMERA_UNREACHABLE'));
      };
      try {
        connection.addTransceiver('video', { direction: 'recvonly' });
        const direction = stream.talk === undefined ? 'recvonly' : 'sendrecv';
        const sound = connection.addTransceiver('audio', { direction });
        const media = new MediaStream();
        connection.addEventListener('track', ({ track }) => media.addTrack(track));
        connection.addEventListener('connectionstatechange', () => {
          if (!isCurrent()) return;
          clearTimer(stream.timer);
          const now = connection.connectionState;
          if (now === 'failed' || now === 'closed') lost();
          else if (now === 'disconnected') stream.timer = setTimer(lost, DISCONNECTED_MS);
        });
        stream.video.srcObject = media;
        awaitFrame(stream, connection);
        await connection.setLocalDescription();
        if (!isCurrent()) return;
        const { id, url, size } = stream;
        const asked = size.now();
        const fields = { id: PREFIX + id, url, sdp: connection.localDescription!.sdp, ...asked };
        const { sdp, profile, talk } = await call({ action: 'open', ...fields });
        if (!isCurrent()) return;
        if (profile) size.opened(asked);
        await connection.setRemoteDescription({ type: 'answer', sdp: sdp! });
        if (!isCurrent() || stream.talk === undefined || talk !== 'ready') return;
        stream.talk.ready(sound.sender);
        say(stream, stream.state);
      } catch (error) {
        if (isCurrent()) fail(stream, error as Error);
      }
    };

    const hear = (session: StreamSessionState) => {
      for (let i = 0; i < streams.length; i++) {
        const stream = streams[i]!;
        if (PREFIX + stream.id !== session.id || stream.connection === undefined) continue;
        const isNews = stream.problem?.error !== session.problem?.error;
        const isStalled = session.state === 'stalled' && stream.state !== 'stalled';
        stream.problem = session.problem;
        if (isStalled || isNews) say(stream, isStalled ? 'stalled' : stream.state);
        if (session.state === 'stalled') awaitFrame(stream, stream.connection);
      }
    };

    const hearTalk = (event: StreamTalkState) => {
      for (let i = 0; i < streams.length; i++) {
        const stream = streams[i]!;
        if (PREFIX + stream.id === event.session && stream.talk?.hear(event)) say(stream, stream.state);
      }
    };

    /** Removes a stream from the page; its session on the panel stays. */
    const drop = (stream: Stream) => {
      disconnect(stream);
      stream.video.srcObject = null;
      stream.host.remove();
      const kept: Stream[] = [];
      for (let i = 0; i < streams.length; i++) if (streams[i] !== stream) kept[kept.length] = streams[i]!;
      streams = kept;
      if (streams.length > 0) return;
      stopHearing();
      stopHearingTalk?.();
    };

    const close = async (stream: Stream) => {
      drop(stream);
      tell(stream, 'closed');
      try {
        await call({ action: 'close', id: PREFIX + stream.id });
      } catch {
        // A camera that failed, or was not asked yet, has no session.
      }
    };

    const placeOf = ({ divId, rect }: Fields): Place => {
      if ((divId === undefined) === (rect === undefined)) throw bad('Give either divId or rect.', 'divId');
      if (rect === undefined) {
        if (typeof divId === 'string' && document.getElementById(divId) !== null) return { divId };
        throw bad('There is no element with this id.', 'divId');
      }
      const { x, y, w, h } = (rect ?? {}) as { x: number; y: number; w: number; h: number };
      const isRect = isNumber(x) && isNumber(y) && isNumber(w) && isNumber(h);
      if (!isRect || x < 0 || y < 0 || w <= 0 || h <= 0 || x + w > 1.0001 || y + h > 1.0001)
        throw bad('rect must be {x, y, w, h} in fractions of the screen, inside it.', 'rect');
      return { rect: { x, y, w, h } };
    };

    const open = (id: unknown, fields: Fields) => {
      const { url, talk = false } = fields;
      if (typeof talk !== 'boolean') throw bad('talk must be true or false.', 'talk');
      if (typeof id !== 'string' || !/^[A-Za-z0-9._-]{1,59}$/.test(id))
        throw bad('id must be 1 to 59 of A-Z a-z 0-9 . _ -', 'id');
      if (typeof url !== 'string' || !isUrl(url))
        throw bad('url must be an rtsp://, rtsps:// or onvif:// URL, or camera: and a name.', 'url');
      const place = placeOf(fields);
      const before = find(id);
      // The panel lets the new session replace the old one with the same id.
      if (before !== undefined) drop(before);
      const host = document.createElement('div') as PageElement;
      const video = document.createElement('video') as Video;
      host.setAttribute('data-faceplate-stream', id);
      video.autoplay = true;
      video.muted = true;
      video.style.cssText = 'display:block;width:100%;height:100%;object-fit:contain;pointer-events:none';
      host.attachShadow({ mode: 'closed' }).append(video);
      const fresh = {
        box: null,
        css: '',
        state: '',
        problem: null,
        connection: undefined,
        talk: talk ? makeTalk?.(failure) : undefined,
        attempts: 0,
        timer: undefined,
        // A camera that cannot change leaves the picture as it is.
        size: makeSize((size) => void call({ action: 'size', id: PREFIX + id, ...size }).catch(() => {})),
      };
      const stream: Stream = { id, url, host, video, place, ...fresh };
      if (streams.length === 0) {
        stopHearing = onSession(hear);
        stopHearingTalk = onTalk?.(hearTalk);
      }
      streams[streams.length] = stream;
      follow(stream);
      document.documentElement.append(host);
      if (!isFollowing) followAll();
      void connect(stream);
    };

    // The page is closing, so it cannot wait for answers here.
    listen('pagehide', () => {
      for (const stream of streams) void close(stream);
    });

    const change = async (stream: Stream, action: string, fields: Fields) => {
      const { volume, on } = fields;
      if (action === 'close') await close(stream);
      else if (action === 'talk') {
        if (typeof on !== 'boolean') throw bad('on must be true or false.', 'on');
        if (stream.talk === undefined) throw bad('Open the stream with "talk": true first.', 'id');
        if (on) await stream.talk.press();
        else stream.talk.release();
      } else if (action === 'resize') {
        stream.place = placeOf(fields);
        stream.box = null;
        follow(stream);
      } else if (action === 'volume') {
        if (!isNumber(volume) || (volume as number) < 0 || (volume as number) > 1)
          throw bad('volume must be a number from 0 to 1.', 'volume');
        stream.video.volume = volume as number;
      } else stream.video.muted = action === 'mute';
    };

    return async (json) => {
      let fields: Fields | null = null;
      try {
        fields = parse(json);
      } catch {}
      if (typeof fields !== 'object' || fields === null)
        throw bad('The message must be the JSON text of an object with an "action".');
      const { action, id } = fields;
      const names = keys(FIELDS);
      if (typeof action !== 'string' || !names.includes(action))
        throw bad(`There is no such action. Known: ${names.join(', ')}.`, 'action');
      for (const name in fields)
        if (!FIELDS[action]!.includes(` ${name} `))
          throw bad(`The action "${action}" does not take this field.`, name);
      if (action === 'closeAll') {
        const closed = streams.length;
        const closing = [];
        for (const stream of streams) closing[closing.length] = close(stream);
        for (const end of closing) await end;
        return { status: 'ok', action, closed };
      }
      if (action === 'open') open(id, fields);
      else {
        const stream = find(id);
        if (stream === undefined)
          throw failure('No stream with this id is open in the page.', 'SESSION_NOT_FOUND', 'id');
        await change(stream, action, fields);
      }
      return { status: 'ok', action, id };
    };
  };
}
