-- Made by `npm run db:dump` from db/migrations; do not edit.

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% on % is refused: its rows are final', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end
$function$
;
