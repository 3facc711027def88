"""
apply.py DB TASKS: applies the annotated actions of each task to the database, and prints for each task the digest of the
whole database after them and the actions that fail. It knows nothing of haft: its digests are what the agent is held against.

The rules are those of src/tau2/domains/retail/tools.py of sierra-research/tau2-bench at 2b80cb1f. There an action that
fails changes nothing, and the next one is applied.
"""

import copy
import hashlib
import json
import struct
import sys
import unicodedata


class Refused(Exception):
    pass


def get(records, key, what):
    if key not in records:
        raise Refused(f"{what} not found")
    return records[key]


def fold(text):
    spread = unicodedata.normalize("NFKD", text)
    return "".join(c for c in spread if not unicodedata.combining(c)).casefold().strip()


def is_gift_card(method):
    return method["source"] == "gift_card"


def pay_method(db, user_id, method_id):
    return get(get(db["users"], user_id, "User")["payment_methods"], method_id, "Payment method")


def order_with(db, order_id, is_fit, refusal):
    order = get(db["orders"], order_id, "Order")
    if not is_fit(order["status"]):
        raise Refused(refusal)
    return order


def check_counts(order, item_ids, refusal):
    there = [item["item_id"] for item in order["items"]]
    for item_id in item_ids:
        if item_ids.count(item_id) > there.count(item_id):
            raise Refused(refusal.format(item_id))


def swap_prices(db, order, item_ids, new_item_ids, must_differ):
    """The difference in price, and the variant of the last pair."""
    if len(item_ids) != len(new_item_ids):
        raise Refused("The number of items to be exchanged should match")
    difference, variant = 0, None
    for item_id, new_item_id in zip(item_ids, new_item_ids):
        if must_differ and item_id == new_item_id:
            raise Refused("The new item id should be different from the old item id")
        item = next(item for item in order["items"] if item["item_id"] == item_id)
        product = get(db["products"], item["product_id"], "Product")
        variant = get(product["variants"], new_item_id, "Variant")
        if not variant["available"]:
            raise Refused(f"New item {new_item_id} not found or available")
        difference += variant["price"] - item["price"]
    return difference, variant


def change_balance(method, amount):
    if is_gift_card(method):
        method["balance"] = round(method["balance"] + amount, 2)


def calculate(db, expression):
    if not all(char in "0123456789+-*/(). " for char in expression):
        raise Refused("Invalid characters in expression")
    return str(round(float(eval(expression, {"__builtins__": None}, {})), 2))


def cancel_pending_order(db, order_id, reason):
    order = order_with(db, order_id, lambda s: s == "pending", "Non-pending order cannot be cancelled")
    if reason not in ("no longer needed", "ordered by mistake"):
        raise Refused("Invalid reason")
    refunds = []
    for payment in order["payment_history"]:
        refunds.append({**payment, "transaction_type": "refund"})
        change_balance(pay_method(db, order["user_id"], payment["payment_method_id"]), payment["amount"])
    order["status"] = "cancelled"
    order["cancel_reason"] = reason
    order["payment_history"] += refunds
    return order


def exchange_delivered_order_items(db, order_id, item_ids, new_item_ids, payment_method_id):
    order = order_with(db, order_id, lambda s: s == "delivered", "Non-delivered order cannot be exchanged")
    check_counts(order, item_ids, "Number of {} not found.")
    difference, _ = swap_prices(db, order, item_ids, new_item_ids, False)
    difference = round(difference, 2)
    method = pay_method(db, order["user_id"], payment_method_id)
    if is_gift_card(method) and method["balance"] < difference:
        raise Refused("Insufficient gift card balance to pay for the price difference")
    order["status"] = "exchange requested"
    order["exchange_items"] = sorted(item_ids)
    order["exchange_new_items"] = sorted(new_item_ids)
    order["exchange_payment_method_id"] = payment_method_id
    order["exchange_price_difference"] = difference
    return order


def find_user_id_by_name_zip(db, first_name, last_name, zip):
    for user_id, user in db["users"].items():
        name = user["name"]
        is_name = (fold(name["first_name"]), fold(name["last_name"])) == (fold(first_name), fold(last_name))
        if is_name and user["address"]["zip"] == zip:
            return user_id
    raise Refused("User not found")


def find_user_id_by_email(db, email):
    for user_id, user in db["users"].items():
        if fold(user["email"]) == fold(email):
            return user_id
    raise Refused("User not found")


def get_order_details(db, order_id):
    return get(db["orders"], order_id, "Order")


def get_product_details(db, product_id):
    return get(db["products"], product_id, "Product")


def get_item_details(db, item_id):
    for product in db["products"].values():
        if item_id in product["variants"]:
            return product["variants"][item_id]
    raise Refused("Item not found")


def get_user_details(db, user_id):
    return get(db["users"], user_id, "User")


def modify_pending_order_address(db, order_id, **address):
    order = order_with(db, order_id, lambda s: "pending" in s, "Non-pending order cannot be modified")
    order["address"] = address
    return order


def modify_pending_order_items(db, order_id, item_ids, new_item_ids, payment_method_id):
    order = order_with(db, order_id, lambda s: s == "pending", "Non-pending order cannot be modified")
    check_counts(order, item_ids, "{} not found")
    difference, variant = swap_prices(db, order, item_ids, new_item_ids, True)
    method = pay_method(db, order["user_id"], payment_method_id)
    if is_gift_card(method) and method["balance"] < difference:
        raise Refused("Insufficient gift card balance to pay for the new item")
    order["payment_history"].append(
        {
            "transaction_type": "payment" if difference > 0 else "refund",
            "amount": abs(difference),
            "payment_method_id": payment_method_id,
        }
    )
    change_balance(method, -difference)
    # Every item gets the price and options of the last variant, as it does there.
    for item_id, new_item_id in zip(item_ids, new_item_ids):
        item = next(item for item in order["items"] if item["item_id"] == item_id)
        item.update(item_id=new_item_id, price=variant["price"], options=variant["options"])
    order["status"] = "pending (item modified)"
    return order


def modify_pending_order_payment(db, order_id, payment_method_id):
    order = order_with(db, order_id, lambda s: "pending" in s, "Non-pending order cannot be modified")
    method = pay_method(db, order["user_id"], payment_method_id)
    history = order["payment_history"]
    if len(history) != 1 or history[0]["transaction_type"] != "payment":
        raise Refused("There should be exactly one payment for a pending order")
    old_id, amount = history[0]["payment_method_id"], history[0]["amount"]
    if old_id == payment_method_id:
        raise Refused("The new payment method should be different from the current one")
    if is_gift_card(method) and method["balance"] < amount:
        raise Refused("Insufficient gift card balance to pay for the order")
    history.append({"transaction_type": "payment", "amount": amount, "payment_method_id": payment_method_id})
    history.append({"transaction_type": "refund", "amount": amount, "payment_method_id": old_id})
    change_balance(method, -amount)
    change_balance(pay_method(db, order["user_id"], old_id), amount)
    return order


def modify_user_address(db, user_id, **address):
    user = get(db["users"], user_id, "User")
    user["address"] = address
    return user


def return_delivered_order_items(db, order_id, item_ids, payment_method_id):
    order = order_with(db, order_id, lambda s: s == "delivered", "Non-delivered order cannot be returned")
    method = pay_method(db, order["user_id"], payment_method_id)
    if not is_gift_card(method) and payment_method_id != order["payment_history"][0]["payment_method_id"]:
        raise Refused("Payment method should be the original payment method")
    check_counts(order, item_ids, "Some item not found")
    order["status"] = "return requested"
    order["return_items"] = sorted(item_ids)
    order["return_payment_method_id"] = payment_method_id
    return order


def transfer_to_human_agents(db, summary):
    return "Transfer successful"


def canonical(value):
    """Numbers as the eight bytes that they are, so that two languages write them alike."""
    if isinstance(value, dict):
        return {key: canonical(part) for key, part in value.items()}
    if isinstance(value, list):
        return [canonical(part) for part in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return struct.pack(">d", float(value) + 0.0).hex()
    return value


def digest(db):
    text = json.dumps(canonical(db), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def main(db_path, tasks_path):
    with open(db_path) as file:
        first = json.load(file)
    with open(tasks_path) as file:
        tasks = json.load(file)
    expected = {}
    for task in tasks:
        db = copy.deepcopy(first)
        fails = []
        for at, action in enumerate(task["evaluation_criteria"]["actions"]):
            try:
                globals()[action["name"]](db, **action["arguments"])
            except Refused as refusal:
                fails.append([at, str(refusal)])
        expected[task["id"]] = {"digest": digest(db), "fails": fails}
    print("{")
    print(",\n".join(f"  {json.dumps(key)}: {json.dumps(one)}" for key, one in expected.items()))
    print("}")


if __name__ == "__main__":
    main(*sys.argv[1:])
