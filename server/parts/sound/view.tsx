import { useState } from 'preact/hooks';
import { call } from '../../pages/manage/client/panel.ts';
import { language, t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Field, TextField } from '../../pages/manage/ui/card.tsx';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import type { SoundName } from './contract.ts';

const soundNames = ['chime', 'alert', 'alarm', 'bell'] as const satisfies readonly SoundName[];
/** Those whose voices come with the package. */
const languages = ['en', 'de', 'es'] as const;

/** Plays each sound that the panel has, or one of the house. */
export function SoundCard() {
  const [url, setUrl] = useState('');
  return (
    <Card title={t('soundTitle')}>
      <div class="row">
        {soundNames.map((name) => (
          <button
            key={name}
            type="button"
            data-testid={`sound-${name}`}
            onClick={() => void attempt(() => call('sound.play', { name }))}
          >
            {t(`sound_${name}`)}
          </button>
        ))}
      </div>
      <TextField
        label={t('soundUrl')}
        value={url}
        onText={setUrl}
        testId="sound-url"
        type="url"
        maxLength={2048}
      />
      <div class="row">
        <button
          type="button"
          data-testid="sound-play"
          disabled={url === ''}
          onClick={() => void attempt(() => call('sound.play', { url }))}
        >
          {t('soundPlay')}
        </button>
        <Stop />
      </div>
      <CallShown command="sound.play" params={url === '' ? { name: 'chime' } : { url }} />
      <CallShown command="sound.stop" />
    </Card>
  );
}

/** Says a text. */
export function SpeechCard() {
  const [text, setText] = useState('');
  const [tongue, setTongue] = useState<string>(language.get());
  const params = { text, language: tongue, chime: true };
  return (
    <Card title={t('speechTitle')}>
      <TextField label={t('text')} value={text} onText={setText} testId="speech-text" maxLength={2000} />
      <Field label={t('speechLanguage')}>
        <select
          data-testid="speech-language"
          value={tongue}
          onChange={({ currentTarget }) => setTongue(currentTarget.value)}
        >
          {languages.map((each) => (
            <option key={each} value={each}>
              {new Intl.DisplayNames([language.get()], { type: 'language' }).of(each) ?? each}
            </option>
          ))}
        </select>
      </Field>
      <div class="row">
        <button
          type="button"
          class="primary"
          data-testid="speech-say"
          disabled={text === ''}
          onClick={() => void attempt(() => call('sound.speak', params))}
        >
          {t('speechSay')}
        </button>
        <Stop />
      </div>
      <CallShown command="sound.speak" params={params} />
    </Card>
  );
}

function Stop() {
  return (
    <button type="button" data-testid="sound-stop" onClick={() => void attempt(() => call('sound.stop'))}>
      {t('soundStop')}
    </button>
  );
}
