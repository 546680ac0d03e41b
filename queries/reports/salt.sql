-- question: How many exchanges carry a salt of the prefix cache, and do tenants share one?
-- grain: one row
-- inputs: salt_use
SELECT * FROM salt_use
