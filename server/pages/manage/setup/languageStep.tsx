import { call } from '../client/panel.ts';
import { language, languages, setLanguage } from '../language.ts';
import { attempt } from '../ui/notice.tsx';
import { useStore } from '../ui/store.ts';
import { useSetting } from './setting.ts';

/** The language of all that the panel itself says. */
export function LanguageStep() {
  const now = useStore(language);
  const kept = useSetting('device.language');
  const choose = async (code: string) => {
    await attempt(async () => {
      // A panel with a setting is not fresh any more: from here on the note says that it is being set up.
      await call('settingsPage.setup', { step: 'language' });
      await kept.save(code);
    });
    setLanguage(code);
  };
  return (
    <div class="choices">
      {Object.entries(languages).map(([code, name]) => (
        <button
          key={code}
          type="button"
          lang={code}
          aria-pressed={code === now}
          data-testid={`language-${code}`}
          onClick={() => void choose(code)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
