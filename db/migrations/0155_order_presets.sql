-- Up Migration
-- Orders that a trader has kept to fill the ticket with: symbol, duration, odds and stake, the newest first. Null until one
-- is kept.
alter table screen_choices add column presets jsonb;
alter table screen_choices
  add constraint screen_choices_presets_check check (jsonb_typeof(presets) = 'array' and jsonb_array_length(presets) <= 6) not valid;
