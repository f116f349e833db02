import { useState } from 'react';
import { Button } from '../button.tsx';
import { Checkbox } from '../form/checkbox.tsx';
import { Field } from '../form/field.tsx';
import { useFirstErrorFocus } from '../form/focus-first-error.ts';
import { Input } from '../form/input.tsx';
import { SearchField } from '../form/search-field.tsx';
import { Select } from '../form/select.tsx';
import { Switch } from '../form/switch.tsx';
import { TextArea } from '../form/text-area.tsx';
import { Part } from './part.tsx';

const kinds = [
  { value: 'all', label: 'All Types' },
  { value: 'api', label: 'API Services' },
  { value: 'data', label: 'Data Sources' },
] as const;

export function Fields() {
  const [text, setText] = useState('');
  const [kind, setKind] = useState<(typeof kinds)[number]['value']>('all');
  const [on, setOn] = useState(true);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const form = useFirstErrorFocus(errors);
  return (
    <Part title="Fields">
      <form
        ref={form}
        noValidate
        className="grid gap-5 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          setErrors({ name: 'Give the token a name.' });
        }}
      >
        <Field label="Name" hint="What it is for: a laptop, a script." error={errors['name']}>
          <Input placeholder="My laptop" />
        </Field>
        <Field label="Type">
          <Select options={kinds} value={kind} onChange={setKind} />
        </Field>
        <SearchField label="Search servers" placeholder="Search servers" value={text} onChange={setText} />
        <div className="flex flex-wrap items-center gap-4">
          <Switch label="Enabled" checked={on} onChange={setOn} />
          <Switch label="Off" checked={false} onChange={() => undefined} />
          <Switch label="Not now" checked disabled onChange={() => undefined} />
        </div>
        <Field label="Reason">
          <TextArea defaultValue="Removed by admin" />
        </Field>
        <div className="flex flex-col gap-3">
          <Checkbox label="mcp:tools" hint="Call the tools of your servers." checked={on} onChange={setOn} />
          <Checkbox label="mcp:prompts" checked={!on} onChange={(next) => setOn(!next)} />
        </div>
        <div>
          <Button type="submit" variant="primary">
            Create token
          </Button>
        </div>
      </form>
    </Part>
  );
}
