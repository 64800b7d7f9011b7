import { useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Field, TextField } from '../../pages/manage/ui/card.tsx';
import { useCall, useEvent } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
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
const ID = 'manage';

function MessageCard() {
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const [level, setLevel] = useState<(typeof LEVELS)[number]>('info');
  const [style, setStyle] = useState<(typeof STYLES)[number]>('banner');
  const [seconds, setSeconds] = useState('10');
  const [last, setLast] = useState('');
  // Of another visit, too.
  const above = useCall<ResultOf<'page.above'>>('page.above');
  const [isShown, setShown] = useState<boolean>();
  const isThere = isShown ?? above.data?.above.includes('message') ?? false;
  useEvent('message', (entry) => {
    const { id, action } = entry as MessageEvent;
    if (id !== ID) return;
    setLast(t(`message_${action}`));
    setShown(action === 'shown');
  });
  const params = {
    id: ID,
    text,
    ...(title !== '' && { title }),
    level,
    style,
    seconds: Number(seconds),
  };
  return (
    <Card title={t('messageTitle')} wide>
      <p class="hint">{t('messageHint')}</p>
      <TextField
        label={t('messageHead')}
        value={title}
        onText={setTitle}
        testId="message-title"
        maxLength={200}
      />
      <TextField label={t('text')} value={text} onText={setText} testId="message-text" maxLength={2000} />
      <div class="row">
        <Choice label={t('messageStyle')} words="style" all={STYLES} value={style} onValue={setStyle} />
        <Choice label={t('messageLevel')} words="level" all={LEVELS} value={level} onValue={setLevel} />
        <TextField
          label={t('messageSeconds')}
          value={seconds}
          onText={setSeconds}
          testId="message-seconds"
          isNumber
          maxLength={5}
        />
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

interface ChoiceProps<V extends string> {
  readonly label: string;
  readonly words: 'style' | 'level';
  readonly all: readonly V[];
  readonly value: V;
  readonly onValue: (value: V) => void;
}

function Choice<V extends 'banner' | 'dialog' | 'full' | 'info' | 'warning' | 'alarm'>({
  label,
  words,
  all,
  value,
  onValue,
}: ChoiceProps<V>) {
  return (
    <Field label={label}>
      <select
        data-testid={`message-${words}`}
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value as V)}
      >
        {all.map((each) => (
          <option key={each} value={each}>
            {t(`message_${each}`)}
          </option>
        ))}
      </select>
    </Field>
  );
}
