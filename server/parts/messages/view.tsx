import { useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { ChipsField } from '../../pages/manage/fields/pickFields.tsx';
import { t, type Word } from '../../pages/manage/language.ts';
import type { Field as ValueKind } from '../../pages/manage/settingValue.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Field, Switch, TextField } from '../../pages/manage/ui/card.tsx';
import { useCall, useEvent } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import { Group } from '../../pages/manage/ui/roving.tsx';
import { SoundCard, SpeechCard } from '../sound/view.tsx';
import type { MessageEvent } from './contract.ts';

/** What the panel says: on its glass and aloud. */
export function Messages() {
  return (
    <>
      <MessageCard />
      <SoundCard />
      <SpeechCard />
    </>
  );
}

const LEVELS = ['info', 'warning', 'alarm'] as const;
const STYLES = ['banner', 'dialog', 'full'] as const;
const SOUNDS = ['none', 'chime', 'alert', 'alarm', 'bell'] as const;
const ID = 'manage';
/** How many buttons a message may have, and how long their words may be. */
const BUTTONS: Extract<ValueKind, { kind: 'chips' }> = {
  kind: 'chips',
  item: { kind: 'text', words: [], isSecret: false, isLong: false, maxLength: 60 },
  max: 4,
};

/** What a person writes. */
interface Draft {
  readonly title: string;
  readonly text: string;
  readonly level: (typeof LEVELS)[number];
  readonly style: (typeof STYLES)[number];
  readonly seconds: string;
  readonly sound: (typeof SOUNDS)[number];
  readonly image: string;
  readonly speak: boolean;
  readonly buttons: readonly string[];
}

const EMPTY: Draft = {
  title: '',
  text: '',
  level: 'info',
  style: 'banner',
  seconds: '10',
  sound: 'none',
  image: '',
  speak: false,
  buttons: [],
};

/** What is said often: its words are the person's to change. */
const TEMPLATES = {
  doorbell: { level: 'info', style: 'dialog', seconds: '30', sound: 'bell' },
  dinner: { level: 'info', style: 'banner', seconds: '60', sound: 'chime' },
  window: { level: 'warning', style: 'banner', seconds: '0', sound: 'alert' },
  alarm: { level: 'alarm', style: 'full', seconds: '0', sound: 'alarm' },
} as const satisfies Readonly<Record<string, Partial<Draft>>>;
type Template = keyof typeof TEMPLATES;

function MessageCard() {
  const [draft, setDraft] = useState(EMPTY);
  const [last, setLast] = useState('');
  // Of another visit, too.
  const above = useCall<ResultOf<'page.above'>>('page.above');
  const [isShown, setShown] = useState<boolean>();
  const isThere = isShown ?? above.data?.above.includes('message') ?? false;
  useEvent('message', (entry) => {
    const { id, action, button } = entry as MessageEvent;
    if (id !== ID) return;
    setLast(button === undefined ? t(`message_${action}`) : t('messageAnswer', { button }));
    setShown(action === 'shown');
  });
  const { title, text, level, style, seconds, sound, image, speak, buttons } = draft;
  const put = (more: Partial<Draft>) => setDraft({ ...draft, ...more });
  const labels = buttons.map((label) => String(label).trim()).filter((label) => label !== '');
  const params = {
    id: ID,
    text,
    ...(title !== '' && { title }),
    level,
    style,
    seconds: Number(seconds),
    ...(sound !== 'none' && { sound }),
    ...(image.trim() !== '' && { image: image.trim() }),
    ...(speak && { speak }),
    // What comes back is what the person has written.
    ...(labels.length > 0 && { buttons: labels.map((label) => ({ id: label, label })) }),
  };
  return (
    <Card title={t('messageTitle')} wide class="composer">
      <p class="hint">{t('messageHint')}</p>
      <Group role="toolbar" label={t('messageTemplates')} class="row" testId="message-templates">
        {(Object.keys(TEMPLATES) as Template[]).map((name) => (
          <button
            key={name}
            type="button"
            data-testid={`template-${name}`}
            onClick={() =>
              setDraft({
                ...EMPTY,
                ...TEMPLATES[name],
                title: t(`template_${name}`),
                text: t(`template_${name}_text`),
              })
            }
          >
            {t(`template_${name}`)}
          </button>
        ))}
      </Group>
      <div class="composer-columns">
        <div class="form">
          <TextField
            label={t('messageHead')}
            value={title}
            onText={(next) => put({ title: next })}
            testId="message-title"
            maxLength={200}
          />
          <TextField
            label={t('text')}
            value={text}
            onText={(next) => put({ text: next })}
            testId="message-text"
            maxLength={2000}
          />
          <div class="row">
            <Choice
              name="style"
              all={STYLES}
              value={style}
              words="message"
              onValue={(next) => put({ style: next })}
            />
            <Choice
              name="level"
              all={LEVELS}
              value={level}
              words="message"
              onValue={(next) => put({ level: next })}
            />
          </div>
          <div class="row">
            <Choice
              name="sound"
              all={SOUNDS}
              value={sound}
              words="sound"
              onValue={(next) => put({ sound: next })}
            />
            <TextField
              label={t('messageSeconds')}
              value={seconds}
              onText={(next) => put({ seconds: next })}
              testId="message-seconds"
              isNumber
              maxLength={5}
            />
          </div>
          <details>
            <summary>{t('messageMore')}</summary>
            <div class="form">
              <TextField
                label={t('messageImage')}
                value={image}
                onText={(next) => put({ image: next })}
                testId="message-image"
                type="url"
                maxLength={2048}
              />
              <ChipsField
                name="buttons"
                label={t('messageButtons')}
                field={BUTTONS}
                draft={buttons}
                onDraft={(next) => put({ buttons: next as readonly string[] })}
                path=""
                mistake={undefined}
                testId="message-buttons"
                isNeeded={false}
              />
              <div class="check">
                <Switch
                  label={t('messageSpeak')}
                  isOn={speak}
                  testId="message-speak"
                  onChange={(next) => put({ speak: next })}
                />{' '}
                {t('messageSpeak')}
              </div>
            </div>
          </details>
        </div>
        <Preview draft={draft} labels={labels} />
      </div>
      <div class="row">
        <button
          type="button"
          class="primary"
          data-testid="message-show"
          disabled={text === ''}
          onClick={() => void attempt(() => call('message.show', params))}
        >
          {t('messageShow')}
        </button>
        <button
          type="button"
          data-testid="message-remove"
          disabled={!isThere}
          onClick={() => void attempt(() => call('message.remove', { id: ID }))}
        >
          {t('messageRemove')}
        </button>
        <output class="hint" data-testid="message-last">
          {last || (text === '' && t('messageNeedsText'))}
        </output>
      </div>
      <CallShown command="message.show" params={params} />
      <CallShown command="message.remove" params={{ id: ID }} />
    </Card>
  );
}

/** About what the glass will look like. */
function Preview({ draft, labels }: { draft: Draft; labels: readonly string[] }) {
  const { title, text, level, style } = draft;
  return (
    <section class="preview" aria-label={t('messagePreview')} data-testid="message-preview">
      <div class={`preview-message ${style} ${level}`}>
        {title !== '' && <strong>{title}</strong>}
        <p>{text === '' ? t('text') : text}</p>
        {labels.length > 0 && (
          <p class="row">
            {labels.map((label) => (
              <span key={label} class="preview-button">
                {label}
              </span>
            ))}
          </p>
        )}
      </div>
    </section>
  );
}

interface ChoiceProps<W extends 'message' | 'sound', V extends string> {
  readonly name: 'style' | 'level' | 'sound';
  readonly all: readonly V[];
  readonly value: V;
  readonly words: W;
  readonly onValue: (value: V) => void;
}

function Choice<W extends 'message' | 'sound', V extends string>({
  name,
  all,
  value,
  words,
  onValue,
}: ChoiceProps<W, V>) {
  const labels = { style: 'messageStyle', level: 'messageLevel', sound: 'messageSound' } as const;
  return (
    <Field label={t(labels[name])}>
      <select
        data-testid={`message-${name}`}
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value as V)}
      >
        {all.map((each) => (
          <option key={each} value={each}>
            {t(`${words}_${each}` as Word)}
          </option>
        ))}
      </select>
    </Field>
  );
}
