import { useRef, useState } from 'preact/hooks';
import { panel } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { Card, EmptyState, Field } from '../../pages/manage/ui/card.tsx';
import { hasLive, type LiveInput, Picture, useLive } from '../../pages/manage/ui/picture.tsx';

/** The page from afar: seen, touched and typed into. */
export function Remote() {
  if (panel().door === 'glass') return <EmptyState icon="screen" words={t('screenIsHere')} />;
  if (hasLive()) return <LivePage />;
  return (
    <Card title={t('picture')} wide>
      <p class="hint">{t('noLive')}</p>
      <Picture />
    </Card>
  );
}

/** Keys that go to the page; Tab stays, so that a keyboard gets out of the picture again. */
const KEYS = /^(?:Enter|Escape|Backspace|Delete|Home|End|PageUp|PageDown|Arrow(?:Up|Down|Left|Right))$/;

function LivePage() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { state, size, send, again } = useLive(canvas);
  const isDown = useRef(false);
  const touch = (type: 'down' | 'move' | 'up') => (event: PointerEvent) => {
    if (size === undefined || canvas.current === null || (type !== 'down' && !isDown.current)) return;
    if (type === 'down') canvas.current.setPointerCapture(event.pointerId);
    isDown.current = type !== 'up';
    const { left, top, width, height } = canvas.current.getBoundingClientRect();
    const within = (part: number, whole: number) => Math.min(Math.max(part * whole, 0), whole - 1);
    send({
      type,
      x: within((event.clientX - left) / width, size.width),
      y: within((event.clientY - top) / height, size.height),
    });
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const input: LiveInput | undefined =
      [...event.key].length === 1
        ? { type: 'text', text: event.key }
        : KEYS.test(event.key)
          ? { type: 'key', key: event.key }
          : undefined;
    if (input === undefined) return;
    event.preventDefault();
    send(input);
  };
  return (
    <>
      <figure class="picture wide">
        <div
          role="application"
          aria-label={t('screenLabel')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys go to the page.
          tabIndex={0}
          class="touchable"
          data-testid="live"
          data-state={state}
          onPointerDown={touch('down')}
          onPointerMove={touch('move')}
          onPointerUp={touch('up')}
          onPointerCancel={touch('up')}
          onKeyDown={press}
        >
          <canvas ref={canvas} />
        </div>
        <figcaption class="hint row" aria-live="polite">
          {state === 'none' ? t('liveEnded') : state === 'live' ? t('screenHint') : t('loading')}
          {state === 'none' && (
            <button type="button" onClick={again}>
              {t('loadAgain')}
            </button>
          )}
        </figcaption>
      </figure>
      <Typing send={send} />
    </>
  );
}

/** For phones, which have no keys until a field has the focus. */
function Typing({ send }: { send: (input: LiveInput) => void }) {
  const [text, setText] = useState('');
  const key = (name: string) => (
    <button key={name} type="button" onClick={() => send({ type: 'key', key: name })}>
      {name}
    </button>
  );
  return (
    <Card title={t('typeInto')} wide>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (text !== '') send({ type: 'text', text });
          setText('');
        }}
      >
        <Field label={t('text')}>
          <input
            type="text"
            autoComplete="off"
            data-testid="live-text"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Field>
        <button type="submit" class="primary">
          {t('send')}
        </button>
      </form>
      <div class="row">{['Enter', 'Backspace', 'Tab', 'Escape'].map(key)}</div>
    </Card>
  );
}
